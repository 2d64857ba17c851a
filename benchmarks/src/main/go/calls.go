// Calls a plugin again and again, through grpc-go: what the calls of csi4j are compared with.
//
//	calls SOCKET METHOD REQUEST IN_FLIGHT DEADLINE_MS WARM_UP_MS WINDOW_MS
//
// REQUEST is a file with the bytes of the request. Each call in flight is a goroutine that waits
// for its answer. Prints the nanoseconds for one call, all of them together, and the median of
// what a call took.
package main

import (
	"context"
	"fmt"
	"io/ioutil"
	"log"
	"net"
	"os"
	"sort"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc"
)

// raw leaves messages as they are.
type raw struct{}

func (raw) Marshal(v interface{}) ([]byte, error) { return *v.(*[]byte), nil }

func (raw) Unmarshal(data []byte, v interface{}) error {
	*v.(*[]byte) = data
	return nil
}

func (raw) Name() string { return "proto" }

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func number(index int) int {
	n, err := strconv.Atoi(os.Args[index])
	check(err)
	return n
}

func millis(index int) time.Duration { return time.Duration(number(index)) * time.Millisecond }

func main() {
	socket, method, inFlight := os.Args[1], "/"+os.Args[2], number(4)
	deadline, warmUp, window := millis(5), millis(6), millis(7)
	request, err := ioutil.ReadFile(os.Args[3])
	check(err)
	connection, err := grpc.Dial("passthrough:///localhost", grpc.WithInsecure(), grpc.WithBlock(),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			var dialer net.Dialer
			return dialer.DialContext(ctx, "unix", socket)
		}))
	check(err)

	call := func() {
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		defer cancel()
		var answer []byte
		check(connection.Invoke(ctx, method, &request, &answer, grpc.ForceCodec(raw{})))
	}
	// All calls of so much time, by all goroutines; and how much it was in the end.
	calls := func(length time.Duration) ([]time.Duration, time.Duration) {
		taken := make([][]time.Duration, inFlight)
		var running sync.WaitGroup
		begin := time.Now()
		for i := range taken {
			running.Add(1)
			go func(mine *[]time.Duration) {
				defer running.Done()
				for time.Since(begin) < length {
					began := time.Now()
					call()
					*mine = append(*mine, time.Since(began))
				}
			}(&taken[i])
		}
		running.Wait()
		end := time.Since(begin)
		var all []time.Duration
		for _, mine := range taken {
			all = append(all, mine...)
		}
		return all, end
	}

	calls(warmUp)
	taken, length := calls(window)
	sort.Slice(taken, func(i, j int) bool { return taken[i] < taken[j] })
	fmt.Println(float64(length.Nanoseconds())/float64(len(taken)), taken[len(taken)/2].Nanoseconds())
}
