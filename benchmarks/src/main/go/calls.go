// Calls a plugin again and again, through grpc-go: what the calls of csi4j are compared with.
//
//	calls SOCKET METHODS REQUESTS IN_FLIGHT DEADLINE_MS WARM_UP_MS WINDOW_MS [LOG BYTES]
//
// METHODS and REQUESTS are lists with commas between: a round makes these calls in this order, each
// with the bytes of its file. With a LOG, records of so many BYTES, a list as well, are appended to
// one file, each before a call of the round, and synced. Each round in flight is a goroutine that
// waits for its answers. Prints the nanoseconds for one round, all of them together, and the median
// of what a round took.
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
	"strings"
	"sync"
	"syscall"
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

// journal is a file that was made beforehand, to which one goroutine at a time appends.
type journal struct {
	mutex sync.Mutex
	file  *os.File
	at    int64
}

const journalSize = 1 << 22

func openJournal(path string) *journal {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0600)
	check(err)
	_, err = file.Write(make([]byte, journalSize))
	check(err)
	check(file.Sync())
	return &journal{file: file}
}

// append returns when the record is on the medium.
func (j *journal) append(record []byte) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if j.at+int64(len(record)) > journalSize {
		j.at = 0
	}
	_, err := j.file.WriteAt(record, j.at)
	check(err)
	check(syscall.Fdatasync(int(j.file.Fd())))
	j.at += int64(len(record))
}

func main() {
	socket, methods, inFlight := os.Args[1], strings.Split(os.Args[2], ","), number(4)
	deadline, warmUp, window := millis(5), millis(6), millis(7)
	var requests [][]byte
	for _, file := range strings.Split(os.Args[3], ",") {
		request, err := ioutil.ReadFile(file)
		check(err)
		requests = append(requests, request)
	}
	var log *journal
	var records [][]byte
	if len(os.Args) > 9 {
		log = openJournal(os.Args[8])
		for _, size := range strings.Split(os.Args[9], ",") {
			bytes, err := strconv.Atoi(size)
			check(err)
			records = append(records, make([]byte, bytes))
		}
	}
	connection, err := grpc.Dial("passthrough:///localhost", grpc.WithInsecure(), grpc.WithBlock(),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			var dialer net.Dialer
			return dialer.DialContext(ctx, "unix", socket)
		}))
	check(err)

	call := func(method string, request []byte) {
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		defer cancel()
		var answer []byte
		check(connection.Invoke(ctx, "/"+method, &request, &answer, grpc.ForceCodec(raw{})))
	}
	round := func() {
		for i, method := range methods {
			if i < len(records) {
				log.append(records[i])
			}
			call(method, requests[i])
		}
	}
	// All rounds of so much time, by all goroutines; and how much it was in the end.
	rounds := func(length time.Duration) ([]time.Duration, time.Duration) {
		taken := make([][]time.Duration, inFlight)
		var running sync.WaitGroup
		begin := time.Now()
		for i := range taken {
			running.Add(1)
			go func(mine *[]time.Duration) {
				defer running.Done()
				for time.Since(begin) < length {
					began := time.Now()
					round()
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

	rounds(warmUp)
	taken, length := rounds(window)
	sort.Slice(taken, func(i, j int) bool { return taken[i] < taken[j] })
	fmt.Println(float64(length.Nanoseconds())/float64(len(taken)), taken[len(taken)/2].Nanoseconds())
}
