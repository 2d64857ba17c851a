package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.shared.StoreMemory;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A store in etcd, for many machines. The version of a record is the revision in which its key was
 * written; no key has a lease.
 *
 * <p>Next to the records, the store has a mark, written when it is first opened. Nothing is written
 * to a store with another mark. An operator who restores an older copy of etcd deletes the mark in
 * it: then every process that knew the lost records notices that the store has another identity,
 * and a process that is started afterwards writes nothing before an operator has called {@link
 * #settle}.
 *
 * @since 1.0
 */
public final class EtcdStore implements RecordStore {

  /**
   * Maximum records of a page; etcd can return, and a process can hold, this many of the largest
   * records.
   */
  private static final int LONGEST_PAGE = 256;

  /**
   * Maximum records of a write; with their conditions, they stay below the 1.5 MB limit of a
   * request to etcd.
   */
  private static final int TOGETHER = 8;

  private final Etcd etcd;
  private final Scheduler scheduler;
  private final StoreMemory memory;
  private final Set<EtcdWatch> watches = ConcurrentHashMap.newKeySet();
  private final Optional<Sealer> sealer;

  /** The mark that writes expect; empty while no writes are made. */
  private volatile Optional<StoreIdentity> mark;

  private volatile boolean closed;

  /**
   * Opens the store.
   *
   * @param settings the required identity of the store, and the key of its writers
   * @param isNew whether an empty store gets its mark
   */
  EtcdStore(Etcd etcd, Scheduler scheduler, EtcdSettings settings, boolean isNew) {
    this.etcd = etcd;
    this.scheduler = scheduler;
    this.sealer = settings.sealer();
    Optional<StoreIdentity> configured = settings.identity();
    String doing = "Opening the store";
    Etcd.Answer first = asked(doing, etcd::look);
    if (isNew && first.mark().isEmpty() && configured.isEmpty() && isEmpty(doing)) {
      first = asked(doing, this::makeMark);
    }
    this.mark = first.mark();
    this.memory =
        new StoreMemory(
            "etcd is at revision",
            configured,
            first.identity(),
            "accept it with 'csi4j store accept' or EtcdStore.settle()",
            first.problem(),
            first.revision());
  }

  private boolean isEmpty(String doing) {
    return Stream.of(RecordKey.Space.values())
        .allMatch(
            space -> asked(doing, () -> etcd.scan(space, Optional.empty(), 1)).records().isEmpty());
  }

  private Etcd.Answer makeMark() {
    return etcd.mark(new StoreIdentity(UUID.randomUUID().toString()));
  }

  /**
   * Opens the store, and makes its mark if it is new. A store that has records but no mark, or does
   * not have the {@link EtcdSettings#identity}, is opened only for reading: see {@link #settle}.
   *
   * @throws RecordStoreException if etcd cannot be reached, or rejects the login or the
   *     certificates
   */
  public static EtcdStore open(EtcdSettings settings) {
    return open(settings, true);
  }

  /**
   * Opens the store only for reading: nothing is written, not even the mark of a new store.
   *
   * @throws RecordStoreException as {@link #open}
   */
  public static EtcdStore look(EtcdSettings settings) {
    return open(settings, false);
  }

  private static EtcdStore open(EtcdSettings settings, boolean isNew) {
    Etcd etcd = new JetcdEtcd(settings);
    try {
      return new EtcdStore(
          etcd, new OnDemandThreads("csi4j-volume-etcd-watch", 1), settings, isNew);
    } catch (RuntimeException failed) {
      etcd.close();
      throw failed;
    }
  }

  /**
   * Settles the store: writes are accepted again, from all processes that have been started since
   * its identity changed. For an operator, or a program, that has compared all claims with the
   * mounts of the nodes, and all volumes with the storage systems. Has no effect on a store that
   * accepts writes.
   *
   * <p>A store without a mark gets one. If the store does not have the {@link
   * EtcdSettings#identity}, this process accepts its current identity; configure the returned
   * identity before the next start.
   *
   * @return the identity of the store from now on
   * @throws RecordStoreException if etcd does not answer; with {@link Reason#IN_DOUBT} if this
   *     process opened the store before its identity changed, and must be restarted first
   */
  public StoreIdentity settle() {
    String doing = "Settling the store";
    seen(doing, etcd::look);
    if (memory.readOnly().isEmpty()) {
      memory.checkSettling();
    } else {
      Etcd.Answer now = asked(doing, this::makeMark);
      mark = now.mark();
      memory.settle(now.identity(), now.revision());
    }
    return memory.identity();
  }

  @Override
  public Optional<StoredRecord> read(RecordKey key) {
    return seen("Reading " + key, () -> etcd.read(key)).records().stream().findFirst();
  }

  @Override
  public int together() {
    return TOGETHER;
  }

  @Override
  public WriteResult write(List<RecordWrite> writes) {
    if (writes.isEmpty() || writes.size() > TOGETHER) {
      throw new IllegalArgumentException(
          "A write has 1 to " + TOGETHER + " records, not " + writes.size() + ".");
    }
    String doing = "Writing " + writes.get(0).key();
    if (memory.readOnly().isPresent()) {
      // An operator may have settled it through another process.
      seen(doing, etcd::look);
      memory.checkWritable(doing);
    }
    long before = memory.reached();
    Etcd.Answer answer;
    try {
      answer = etcd.write(mark.orElseThrow(), writes);
    } catch (Etcd.Failure failure) {
      if (failure.fate() == Etcd.Failure.Fate.UNKNOWN) {
        return new WriteResult.Unknown(new ReasonText(failure.because()));
      }
      throw failed(doing, failure);
    }
    memory.saw(before, answer.identity(), answer.revision());
    return answer.isDone()
        ? new WriteResult.Written(
            writes.stream()
                .flatMap(
                    each ->
                        each.next().stream()
                            .map(next -> new StoredRecord(each.key(), answer.revision(), next)))
                .toList())
        : new WriteResult.Conflict(answer.records());
  }

  @Override
  public Page scan(RecordKey.Space space, Optional<RecordKey> after, int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("A page has at least one record, not " + limit + ".");
    }
    return seen("Listing " + space, () -> etcd.scan(space, after, Math.min(limit, LONGEST_PAGE)))
        .page();
  }

  @Override
  public Watch watch(RecordKey.Space space) {
    long from = seen("Watching " + space, etcd::look).revision() + 1;
    EtcdWatch watch = new EtcdWatch(etcd, memory, scheduler, space, from, watches::remove);
    watches.add(watch);
    if (closed) {
      watch.close();
    } else {
      watch.begin();
    }
    return watch;
  }

  @Override
  public StoreIdentity identity() {
    return memory.identity();
  }

  @Override
  public Optional<ReasonText> uncertainty(RecordKey key) {
    return memory.uncertainty();
  }

  @Override
  public Optional<ReasonText> readOnly() {
    return memory.readOnly();
  }

  @Override
  public Optional<Sealer> sealer() {
    return sealer;
  }

  /** Makes a request, and records the identity of the store that answered. */
  private Etcd.Answer seen(String doing, Supplier<Etcd.Answer> call) {
    long before = memory.reached();
    Etcd.Answer answer = asked(doing, call);
    if (memory.isSettledBy(answer.identity(), answer.problem())) {
      mark = answer.mark();
    }
    memory.saw(before, answer.identity(), answer.problem(), answer.revision());
    return answer;
  }

  private static Etcd.Answer asked(String doing, Supplier<Etcd.Answer> call) {
    try {
      return call.get();
    } catch (Etcd.Failure failure) {
      throw failed(doing, failure);
    }
  }

  private static RecordStoreException failed(String doing, Etcd.Failure failure) {
    boolean isClosed = failure.fate() == Etcd.Failure.Fate.CLOSED;
    return new RecordStoreException(
        isClosed ? Reason.CLOSED : Reason.UNAVAILABLE,
        ForeignText.of(doing) + " failed: " + failure.because() + ". " + failure.remedy() + ".",
        failure);
  }

  /** Closes its watches, its connections and its threads. */
  @Override
  public void close() {
    closed = true;
    watches.forEach(EtcdWatch::close);
    etcd.close();
  }
}
