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
 * A store in etcd, for several machines. The version of a record is the revision of etcd in which
 * its key was last written. The keys have no leases.
 *
 * <p>In addition to the records, the store has a mark, which is written when the store is first
 * opened. A process writes only to a store with the same mark. An operator who restores an older
 * copy of etcd must delete the mark in the copy. Then every running process notices that the store
 * has another identity, and every process that is started afterwards does not write until an
 * operator has called {@link #settle}.
 *
 * @since 1.0
 */
public final class EtcdStore implements RecordStore {

  /**
   * Maximum number of records in a page. The limit lets etcd return a page of the largest records,
   * and lets it fit in memory.
   */
  private static final int LONGEST_PAGE = 256;

  /**
   * Maximum number of records in a write. The largest records and their conditions then stay below
   * etcd's limit of 1.5 MB for a request.
   */
  private static final int TOGETHER = 8;

  private final Etcd etcd;
  private final Scheduler scheduler;
  private final StoreMemory memory;
  private final Set<EtcdWatch> watches = ConcurrentHashMap.newKeySet();
  private final Optional<Sealer> sealer;

  /**
   * The mark that the store must have for a write; empty while the store accepts no writes because
   * it has no mark.
   */
  private volatile Optional<StoreIdentity> mark;

  private volatile boolean closed;

  /**
   * Opens the store.
   *
   * @param settings the settings; only the required identity and the key are used
   * @param isNew whether to write a mark to an empty store
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
   * Opens the store, and writes the mark of a new store. If the store has records but no mark, or
   * does not have the {@link EtcdSettings#identity}, it is opened only for reading (see {@link
   * #settle}).
   *
   * @throws RecordStoreException if etcd cannot be reached, or rejects the login or the
   *     certificates
   */
  public static EtcdStore open(EtcdSettings settings) {
    return open(settings, true);
  }

  /**
   * Opens the store only for reading. Does not write the mark of a new store either.
   *
   * @throws RecordStoreException as {@link #open} does
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
   * Settles the store: it accepts writes again, from all processes that were started after its
   * identity changed. Before calling this method, an operator or a program must compare all claims
   * with the mounts of the nodes, and all volumes with the storage systems. Has no effect on a
   * store that accepts writes.
   *
   * <p>If the store has no mark, a new mark is written. If the store does not have the {@link
   * EtcdSettings#identity}, this process accepts the current identity. The host must configure the
   * returned identity before the next start.
   *
   * @return the new identity of the store
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
      // An operator may have settled the store in another process.
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

  /**
   * Makes a request, and passes the identity and the revision in the answer to the memory of the
   * store.
   */
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

  /** Closes the watches, the connections and the threads of this store. */
  @Override
  public void close() {
    closed = true;
    watches.forEach(EtcdWatch::close);
    etcd.close();
  }
}
