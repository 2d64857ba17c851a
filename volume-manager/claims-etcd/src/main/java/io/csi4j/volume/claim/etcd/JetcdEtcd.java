package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.spi.ClaimPage;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.ClaimWatch.Change;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteToken;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.claims.SharedClaims;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.time.SystemClock;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
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
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchEvent;
import io.etcd.jetcd.watch.WatchResponse;
import java.nio.charset.StandardCharsets;
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
 * Asks through jetcd. Each question is one transaction, which reads the mark of the store along
 * with what is asked for: so both are of one moment.
 */
final class JetcdEtcd implements Etcd {

  private final EtcdSettings settings;
  private final KeySpace keys;
  private final ByteSequence mark;
  private final JetcdFailures failures;
  private final JetcdLine line;
  private final SharedClaims claims;

  JetcdEtcd(EtcdSettings settings) {
    this.settings = settings;
    this.keys = new KeySpace(settings.prefix());
    this.mark = ByteSequence.from(keys.mark());
    this.failures = new JetcdFailures(settings);
    this.line = new JetcdLine(settings, new SystemClock());
    this.claims = new SharedClaims("etcd", settings.sealer());
  }

  @Override
  public Etcd.Answer look() {
    return reading(txn -> txn.Then(get(mark)));
  }

  @Override
  public Etcd.Answer read(VolumeKey volume) {
    return reading(txn -> txn.Then(get(key(volume)), get(mark)));
  }

  @Override
  public Etcd.Answer scan(Optional<VolumeKey> after, int limit) {
    List<TxnResponse> responses = new ArrayList<>();
    ClaimPage page =
        claims.page(
            after,
            limit,
            (name, most) -> {
              responses.add(asked(txn -> txn.Then(behind(name, most), get(mark)), true));
              return kept(responses.get(responses.size() - 1));
            });
    return answer(responses.get(responses.size() - 1), page);
  }

  @Override
  public Etcd.Answer mark(StoreIdentity candidate) {
    ByteSequence value = ByteSequence.from(ClaimCodec.encode(candidate));
    return writing(
        txn ->
            txn.If(new Cmp(mark, Cmp.Op.EQUAL, CmpTarget.createRevision(0)))
                .Then(Op.put(mark, value, PutOption.DEFAULT), get(mark))
                .Else(get(mark)));
  }

  @Override
  public Etcd.Answer write(
      StoreIdentity store, ClaimVersion expected, Claim next, WriteToken token) {
    return write(store, expected, next, token, List.of());
  }

  @Override
  public boolean comparesBytes() {
    return settings.sealer().isEmpty();
  }

  @Override
  public Etcd.Answer replace(StoreIdentity store, Versioned seen, Claim next, WriteToken token) {
    VolumeKey volume = next.volume();
    // The mark of a write is in its bytes. What was never written has none, and is there nowhere.
    List<Cmp> same =
        seen.by().stream()
            .map(by -> claims.clear(seen.claim(), by, seen.version()))
            .map(ByteSequence::from)
            .map(bytes -> new Cmp(key(volume), Cmp.Op.EQUAL, CmpTarget.value(bytes)))
            .toList();
    return write(store, seen.version(), next, token, same);
  }

  private Etcd.Answer write(
      StoreIdentity store, ClaimVersion expected, Claim next, WriteToken token, List<Cmp> more) {
    ByteSequence key = key(next.volume());
    ByteSequence value = ByteSequence.from(claims.bytes(next, token, expected));
    List<Cmp> all = new ArrayList<>(more);
    all.add(new Cmp(key, Cmp.Op.EQUAL, CmpTarget.modRevision(expected.value())));
    all.add(
        new Cmp(mark, Cmp.Op.EQUAL, CmpTarget.value(ByteSequence.from(ClaimCodec.encode(store)))));
    return writing(
        txn ->
            txn.If(all.toArray(Cmp[]::new))
                .Then(Op.put(key, value, PutOption.DEFAULT), get(mark))
                .Else(get(key), get(mark)));
  }

  @Override
  public Runnable follow(long from, Follower follower) {
    Client client = line.client().orElseThrow(JetcdFailures::closed);
    JetcdFollowing following = new JetcdFollowing(follower);
    try {
      following.begin(client.getWatchClient(), from);
      return following::end;
    } catch (RuntimeException thrown) {
      // The client was replaced or closed in between.
      throw failures.of(thrown);
    }
  }

  /** The keys of claims behind a name. */
  private Op behind(byte[] name, int limit) {
    return Op.get(
        ByteSequence.from(keys.after(name)),
        GetOption.builder().withRange(ByteSequence.from(keys.end())).withLimit(limit).build());
  }

  private static Op get(ByteSequence key) {
    return Op.get(key, GetOption.DEFAULT);
  }

  private ByteSequence key(VolumeKey volume) {
    return ByteSequence.from(keys.of(volume));
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

  /** Waits without heeding an interrupt, which stays set: it never takes long. */
  private TxnResponse awaited(CompletableFuture<TxnResponse> answer)
      throws ExecutionException, TimeoutException {
    // The call has a deadline of its own; this one is for a client that has died.
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

  /** The mark is what was read last; what was read before it are claims. */
  private List<SharedClaims.Kept> kept(TxnResponse response) {
    List<GetResponse> read = response.getGetResponses();
    return read.subList(0, read.size() - 1).stream()
        .flatMap(each -> each.getKvs().stream())
        .map(this::kept)
        .toList();
  }

  private Etcd.Answer answer(TxnResponse response) {
    return answer(
        response,
        new ClaimPage(
            kept(response).stream().map(claims::claim).toList(), List.of(), Optional.empty()));
  }

  private Etcd.Answer answer(TxnResponse response, ClaimPage page) {
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
    try {
      return ClaimCodec.decodeIdentity(there.getValue().getBytes());
    } catch (MalformedRecordException e) {
      throw ClaimCodec.unreadable("the mark of the store under '" + settings.prefix() + "'", e);
    }
  }

  private SharedClaims.Kept kept(KeyValue there) {
    return new SharedClaims.Kept(
        keys.name(there.getKey().getBytes()),
        there.getKey().toString(StandardCharsets.UTF_8),
        there.getModRevision(),
        there.getValue().getBytes());
  }

  private Change change(WatchEvent event) {
    if (event.getEventType() == WatchEvent.EventType.PUT) {
      try {
        return new Change.Written(claims.claim(kept(event.getKeyValue())));
      } catch (RecordStoreException unreadable) {
        return missed("a claim was written that cannot be read");
      }
    }
    return missed("a claim was deleted from outside");
  }

  private static Change missed(String because) {
    return new Change.Missed(new ReasonText(because));
  }

  @Override
  public void close() {
    line.close();
  }

  /**
   * One watch of jetcd, from a revision until the first trouble. Left to itself jetcd would go on
   * by itself, at a revision that may be too late: it takes the one that etcd was at when the watch
   * was made, though older ones may not have come yet.
   */
  private final class JetcdFollowing implements Watch.Listener {

    private final Follower follower;
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile Optional<Watch.Watcher> watcher = Optional.empty();

    JetcdFollowing(Follower follower) {
      this.follower = follower;
    }

    void begin(Watch watch, long from) {
      WatchOption option =
          WatchOption.builder()
              .withRange(ByteSequence.from(keys.end()))
              .withRevision(from)
              .withRequireLeader(true)
              .build();
      watcher = Optional.of(watch.watch(ByteSequence.from(keys.first()), option, this));
    }

    @Override
    public void onNext(WatchResponse response) {
      List<WatchEvent> events = response.getEvents();
      if (over.get() || events.isEmpty()) {
        return;
      }
      long last = events.get(events.size() - 1).getKeyValue().getModRevision();
      follower.told(last, events.stream().map(JetcdEtcd.this::change).toList());
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
