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
 * <p>Beside the records stands the mark of the store, made when it is first opened. Nothing is
 * written where another mark stands. An operator who restores an older copy of etcd deletes the
 * mark in it: then every process that knew the lost records sees that it is another store, and one
 * that is started afterwards writes nothing before a person has called {@link #settle}.
 *
 * @since 1.0
 */
public final class EtcdStore implements RecordStore {

  /** A page of the largest records is an answer that etcd gives and a process takes. */
  private static final int LONGEST_PAGE = 256;

  /** With the conditions, these are less than the 1.5 MB that a request to etcd may have. */
  private static final int TOGETHER = 8;

  private final Etcd etcd;
  private final Scheduler scheduler;
  private final StoreMemory memory;
  private final Set<EtcdWatch> watches = ConcurrentHashMap.newKeySet();
  private final Optional<Sealer> sealer;

  /** The mark that is expected by writes; none while none are made. */
  private volatile Optional<StoreIdentity> mark;

  private volatile boolean closed;

  /**
   * Opens it.
   *
   * @param settings the store that has to be there, and the key of its writers
   * @param isNew whether a store that is empty gets its mark
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
   * Opens the store, and makes its mark if it is new. One that has records and no mark, or is not
   * {@link EtcdSettings#identity}, is opened for reading alone: see {@link #settle}.
   *
   * @throws RecordStoreException if etcd cannot be reached, or refuses the login or the
   *     certificates
   */
  public static EtcdStore open(EtcdSettings settings) {
    return open(settings, true);
  }

  /**
   * Opens the store for a look: nothing is written, not even the mark of a new store, which is
   * opened for reading alone.
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
   * it became another one. For a person, or a program, that has compared all claims with what the
   * nodes have mounted, and all volumes with the storage systems. Does nothing to a store that
   * accepts writes.
   *
   * <p>A store without a mark gets one. A store that is not {@link EtcdSettings#identity} is taken
   * by this process as it is; configure the returned identity before the next start.
   *
   * @return which store it is from now on
   * @throws RecordStoreException if etcd cannot be asked; with {@link Reason#IN_DOUBT} if this
   *     process opened the store before it became another one, and has to be started again first
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
          "A write has 1 to " + TOGETHER + " records, and not " + writes.size() + ".");
    }
    String doing = "Writing " + writes.get(0).key();
    if (memory.readOnly().isPresent()) {
      // A person may have settled it through another process.
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

  /** Asks, and takes in which store it was that answered. */
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

  /** Ends its watches, its connections and its threads. */
  @Override
  public void close() {
    closed = true;
    watches.forEach(EtcdWatch::close);
    etcd.close();
  }
}
