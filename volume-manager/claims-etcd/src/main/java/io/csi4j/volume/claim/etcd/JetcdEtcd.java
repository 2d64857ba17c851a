package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.internal.store.StoreCodec;
import io.csi4j.volume.internal.time.SystemClock;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore.Page;
import io.csi4j.volume.store.RecordStore.Watch.Change;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.shared.RecordName;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.Txn;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.common.exception.CompactedException;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchEvent;
import io.etcd.jetcd.watch.WatchResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;

/**
 * Sends the requests to etcd with the client library jetcd. Each request is a transaction that also
 * reads the mark of the store, so that the records and the mark are consistent.
 */
final class JetcdEtcd implements Etcd {

  private final EtcdSettings settings;
  private final KeySpace keys;
  private final ByteSequence mark;
  private final JetcdFailures failures;
  private final JetcdLine line;

  JetcdEtcd(EtcdSettings settings) {
    this.settings = settings;
    this.keys = new KeySpace(settings.prefix());
    this.mark = ByteSequence.from(keys.mark());
    this.failures = new JetcdFailures(settings);
    this.line = new JetcdLine(settings, new SystemClock());
  }

  @Override
  public Etcd.Answer look() {
    return reading(txn -> txn.Then(get(mark)));
  }

  @Override
  public Etcd.Answer read(RecordKey key) {
    return reading(txn -> txn.Then(get(key(key)), get(mark)));
  }

  @Override
  public Etcd.Answer scan(Space space, Optional<RecordKey> after, int limit) {
    List<TxnResponse> responses = new ArrayList<>();
    Page page =
        RecordName.page(
            space,
            after,
            limit,
            (name, most) -> {
              GetOption behind =
                  GetOption.builder()
                      .withRange(ByteSequence.from(keys.end(space)))
                      .withLimit(most)
                      .build();
              Op get = Op.get(ByteSequence.from(keys.after(space, name)), behind);
              TxnResponse response = asked(txn -> txn.Then(get, get(mark)), true);
              responses.add(response);
              return response.getGetResponses().get(0).getKvs().stream()
                  .map(
                      each ->
                          new RecordName.Row(
                              keys.name(each.getKey().getBytes()),
                              each.getModRevision(),
                              each.getValue().getBytes()))
                  .toList();
            });
    return answer(responses.get(responses.size() - 1), page);
  }

  @Override
  public Etcd.Answer mark(StoreIdentity candidate) {
    ByteSequence value = ByteSequence.from(StoreCodec.encode(candidate));
    return writing(
        txn ->
            txn.If(new Cmp(mark, Cmp.Op.EQUAL, CmpTarget.createRevision(0)))
                .Then(Op.put(mark, value, PutOption.DEFAULT), get(mark))
                .Else(get(mark)));
  }

  @Override
  public Etcd.Answer write(StoreIdentity store, List<RecordWrite> writes) {
    List<Cmp> seen = new ArrayList<>();
    List<Op> then = new ArrayList<>();
    List<Op> otherwise = new ArrayList<>();
    for (RecordWrite each : writes) {
      ByteSequence key = key(each.key());
      long version = each.seen().map(StoredRecord::version).orElse(0L);
      seen.add(new Cmp(key, Cmp.Op.EQUAL, CmpTarget.modRevision(version)));
      each.seen()
          .map(there -> CmpTarget.value(bytes(there.value())))
          .ifPresent(same -> seen.add(new Cmp(key, Cmp.Op.EQUAL, same)));
      then.add(
          each.next()
              .<Op>map(next -> Op.put(key, bytes(next), PutOption.DEFAULT))
              .orElseGet(() -> Op.delete(key, DeleteOption.DEFAULT)));
      otherwise.add(get(key));
    }
    ByteSequence expected = ByteSequence.from(StoreCodec.encode(store));
    seen.add(new Cmp(mark, Cmp.Op.EQUAL, CmpTarget.value(expected)));
    then.add(get(mark));
    otherwise.add(get(mark));
    return writing(
        txn ->
            txn.If(seen.toArray(Cmp[]::new))
                .Then(then.toArray(Op[]::new))
                .Else(otherwise.toArray(Op[]::new)));
  }

  @Override
  public Runnable follow(Space space, long from, Follower follower) {
    Client client = line.client().orElseThrow(JetcdFailures::closed);
    JetcdFollowing following = new JetcdFollowing(space, follower);
    try {
      following.begin(client.getWatchClient(), from);
      return following::end;
    } catch (RuntimeException thrown) {
      // The client was replaced or closed in the meantime.
      throw failures.of(thrown);
    }
  }

  private static Op get(ByteSequence key) {
    return Op.get(key, GetOption.DEFAULT);
  }

  private ByteSequence key(RecordKey key) {
    return ByteSequence.from(keys.of(key));
  }

  private static ByteSequence bytes(StateValue value) {
    return ByteSequence.from(value.bytes());
  }

  private Etcd.Answer reading(UnaryOperator<Txn> question) {
    return answer(asked(question, true));
  }

  private Etcd.Answer writing(UnaryOperator<Txn> question) {
    return answer(asked(question, false));
  }

  private TxnResponse asked(UnaryOperator<Txn> question, boolean changesNothing) {
    try {
      return ask(question);
    } catch (Etcd.Failure failure) {
      boolean isHarmless = changesNothing || failure.fate() == Etcd.Failure.Fate.REFUSED;
      if (isHarmless && JetcdFailures.isPassing(failure)) {
        return ask(question);
      }
      throw failure;
    }
  }

  private TxnResponse ask(UnaryOperator<Txn> question) {
    Client client = line.client().orElseThrow(JetcdFailures::closed);
    CompletableFuture<TxnResponse> answer = question.apply(client.getKVClient().txn()).commit();
    try {
      TxnResponse response = awaited(answer);
      line.worked();
      return response;
    } catch (ExecutionException thrown) {
      Etcd.Failure failure = failures.of(thrown);
      if (failure.fate() == Etcd.Failure.Fate.UNKNOWN) {
        line.failed(client);
      }
      throw failure;
    } catch (TimeoutException thrown) {
      line.failed(client);
      throw failures.late(thrown);
    }
  }

  /**
   * Waits for an answer. An interrupt does not end the wait, which is always short, and the thread
   * stays interrupted.
   */
  private TxnResponse awaited(CompletableFuture<TxnResponse> answer)
      throws ExecutionException, TimeoutException {
    // The call has its own deadline. This longer limit ends the wait if the client no longer works.
    long end = System.nanoTime() + settings.deadline().plusSeconds(1).toNanos();
    boolean isInterrupted = false;
    try {
      while (true) {
        try {
          return answer.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          isInterrupted = true;
        }
      }
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Returns the answer in the response to a transaction. The last read of each transaction is the
   * mark; all reads before it are records.
   */
  private Etcd.Answer answer(TxnResponse response) {
    List<GetResponse> read = response.getGetResponses();
    return answer(
        response,
        new Page(
            read.subList(0, read.size() - 1).stream()
                .flatMap(each -> each.getKvs().stream())
                .map(this::record)
                .toList(),
            Optional.empty()));
  }

  private Etcd.Answer answer(TxnResponse response, Page page) {
    List<GetResponse> read = response.getGetResponses();
    List<KeyValue> marks = read.get(read.size() - 1).getKvs();
    return new Etcd.Answer(
        response.isSucceeded(),
        response.getHeader().getRevision(),
        response.getHeader().getClusterId(),
        marks.stream().findFirst().map(this::identity),
        page);
  }

  private StoreIdentity identity(KeyValue there) {
    return StoreCodec.identity(
        there.getValue().getBytes(), "the mark of the store under '" + settings.prefix() + "'");
  }

  private StoredRecord record(KeyValue there) {
    return keys.record(
        there.getKey().getBytes(), there.getModRevision(), there.getValue().getBytes());
  }

  @Override
  public void close() {
    line.close();
  }

  /**
   * A watch of jetcd, which begins at a revision and ends at the first problem. It ends because
   * jetcd's own reconnection could miss changes: jetcd continues at the revision that etcd had when
   * the watch was created, although older changes may not have arrived yet.
   */
  private final class JetcdFollowing implements Watch.Listener {

    private final Space space;
    private final Follower follower;
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile Optional<Watch.Watcher> watcher = Optional.empty();

    JetcdFollowing(Space space, Follower follower) {
      this.space = space;
      this.follower = follower;
    }

    void begin(Watch watch, long from) {
      WatchOption option =
          WatchOption.builder()
              .withRange(ByteSequence.from(keys.end(space)))
              .withRevision(from)
              .withRequireLeader(true)
              .build();
      watcher =
          Optional.of(watch.watch(ByteSequence.from(keys.after(space, new byte[0])), option, this));
    }

    @Override
    public void onNext(WatchResponse response) {
      List<WatchEvent> events = response.getEvents();
      if (over.get() || events.isEmpty()) {
        return;
      }
      long last = events.get(events.size() - 1).getKeyValue().getModRevision();
      follower.told(last, events.stream().map(this::change).toList());
    }

    private Change change(WatchEvent event) {
      StoredRecord now = record(event.getKeyValue());
      return event.getEventType() == WatchEvent.EventType.PUT
          ? new Change.Written(now)
          : new Change.Removed(now.key(), now.version());
    }

    @Override
    public void onError(Throwable thrown) {
      end(thrown instanceof CompactedException);
    }

    @Override
    public void onCompleted() {
      end(false);
    }

    private void end(boolean isCompacted) {
      if (over.compareAndSet(false, true)) {
        follower.ended(isCompacted);
      }
    }

    void end() {
      over.set(true);
      watcher.ifPresent(Watch.Watcher::close);
    }
  }
}
