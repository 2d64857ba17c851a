package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.spi.ClaimPage;
import io.csi4j.volume.claim.spi.ClaimStore;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.ClaimWatch;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteResult;
import io.csi4j.volume.claim.spi.WriteToken;
import io.csi4j.volume.internal.store.StoreMemory;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A store in etcd, for many machines. The version of a claim is the revision in which its key was
 * written; no key has a lease, and none is ever deleted.
 *
 * <p>Beside the claims stands the mark of the store, made when it is first opened. Nothing is
 * written where another mark stands. An operator who restores an older copy of etcd deletes the
 * mark in it: then every process that knew the lost claims sees that it is another store, and one
 * that is started afterwards writes nothing before a person has called {@link #settle}.
 *
 * @since 1.0
 */
public final class EtcdClaimStore implements ClaimStore {

  /** A page of the largest claims is an answer that etcd gives and a process takes. */
  private static final int LONGEST_PAGE = 256;

  private final Etcd etcd;
  private final Scheduler scheduler;
  private final StoreMemory memory;
  private final Set<EtcdWatch> watches = ConcurrentHashMap.newKeySet();

  /** The mark that is expected by writes; none while none are made. */
  private volatile Optional<StoreIdentity> mark;

  private volatile boolean closed;

  /**
   * Opens it.
   *
   * @param configured the store that has to be there
   */
  EtcdClaimStore(Etcd etcd, Scheduler scheduler, Optional<StoreIdentity> configured) {
    this.etcd = etcd;
    this.scheduler = scheduler;
    String doing = "Opening the store of claims";
    Etcd.Answer first = asked(doing, () -> etcd.scan(Optional.empty(), 1));
    if (first.mark().isEmpty() && first.isEmpty() && configured.isEmpty()) {
      first = asked(doing, this::makeMark);
    }
    this.mark = first.mark();
    this.memory =
        new StoreMemory(
            "etcd is at revision", configured, first.identity(), first.problem(), first.revision());
  }

  private Etcd.Answer makeMark() {
    return etcd.mark(new StoreIdentity(UUID.randomUUID().toString()));
  }

  /**
   * Opens the store, and makes its mark if it is new. One that has claims and no mark, or is not
   * {@link EtcdSettings#identity}, is opened for reading alone: see {@link #settle}.
   *
   * @throws RecordStoreException if etcd cannot be reached, or refuses the login or the certificates
   */
  public static EtcdClaimStore open(EtcdSettings settings) {
    Etcd etcd = new JetcdEtcd(settings);
    try {
      return new EtcdClaimStore(
          etcd, new OnDemandThreads("csi4j-volume-etcd-watch", 1), settings.identity());
    } catch (RuntimeException failed) {
      etcd.close();
      throw failed;
    }
  }

  /**
   * Settles the store: claims are taken again, by all processes that have been started since it
   * became another one. For a person, or a program, that has compared all claims with what the
   * nodes have mounted. Does nothing to a store that takes writes.
   *
   * <p>A store without a mark gets one. A store that is not {@link EtcdSettings#identity} is taken
   * by this process as it is; configure the returned identity before the next start.
   *
   * @return which store it is from now on
   * @throws RecordStoreException if etcd cannot be asked; with {@link Reason#IN_DOUBT} if this
   *     process opened the store before it became another one, and has to be started again first
   */
  public StoreIdentity settle() {
    String doing = "Settling the store of claims";
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

  /**
   * Reads all claims without opening the store: nothing is written, not even the mark of a new one.
   * What is written meanwhile is in it or not.
   *
   * @return the claims that were ever made, by volume, all on one page
   * @throws RecordStoreException if etcd cannot be reached, or refuses the login or the certificates
   */
  public static ClaimPage look(EtcdSettings settings) {
    Etcd etcd = new JetcdEtcd(settings);
    try {
      List<Versioned> readable = new ArrayList<>();
      List<ClaimPage.Unreadable> unreadable = new ArrayList<>();
      Optional<VolumeKey> after = Optional.empty();
      do {
        Optional<VolumeKey> before = after;
        ClaimPage page = asked("Listing claims", () -> etcd.scan(before, LONGEST_PAGE)).page();
        readable.addAll(page.claims());
        unreadable.addAll(page.unreadable());
        after = page.next();
      } while (after.isPresent());
      return new ClaimPage(readable, unreadable, Optional.empty());
    } finally {
      etcd.close();
    }
  }

  @Override
  public Versioned read(VolumeKey volume) {
    Etcd.Answer answer =
        seen("Reading the claim of volume '" + volume + "'", () -> etcd.read(volume));
    return there(answer, volume);
  }

  private static Versioned there(Etcd.Answer answer, VolumeKey volume) {
    return answer.claims().isEmpty()
        ? new Versioned(Claim.none(volume), ClaimVersion.NEVER, Optional.empty())
        : answer.claims().get(0);
  }

  @Override
  public WriteResult compareAndSet(ClaimVersion expected, Claim next, WriteToken token) {
    return written(next, token, store -> etcd.write(store, expected, next, token));
  }

  /** In one step where etcd can compare the bytes, in which the mark of the write is. */
  @Override
  public WriteResult replace(Versioned seen, Claim next, WriteToken token) {
    return etcd.comparesBytes()
        ? written(next, token, store -> etcd.replace(store, seen, next, token))
        : ClaimStore.super.replace(seen, next, token);
  }

  private WriteResult written(
      Claim next, WriteToken token, Function<StoreIdentity, Etcd.Answer> write) {
    String doing = "Writing the claim of volume '" + next.volume() + "'";
    if (memory.readOnly().isPresent()) {
      // A person may have settled it through another process.
      seen(doing, etcd::look);
      memory.checkWritable(doing, "EtcdClaimStore.settle()");
    }
    long before = memory.reached();
    Etcd.Answer answer;
    try {
      answer = write.apply(mark.orElseThrow());
    } catch (Etcd.Failure failure) {
      if (failure.fate() == Etcd.Failure.Fate.UNKNOWN) {
        return new WriteResult.Unknown(new ReasonText(failure.because()));
      }
      throw failed(doing, failure);
    }
    memory.saw(before, answer.identity(), answer.revision());
    if (answer.isDone()) {
      return new WriteResult.Written(
          new Versioned(next, new ClaimVersion(answer.revision()), Optional.of(token)));
    }
    Versioned there = there(answer, next.volume());
    // Something below may send a request twice; what is there by this very try is no conflict.
    return there.by().filter(token::equals).isPresent()
        ? new WriteResult.Written(there)
        : new WriteResult.Conflict(there);
  }

  @Override
  public ClaimPage scan(Optional<VolumeKey> after, int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("A page has at least one claim, not " + limit + ".");
    }
    return seen("Listing claims", () -> etcd.scan(after, Math.min(limit, LONGEST_PAGE))).page();
  }

  @Override
  public ClaimWatch watch() {
    long from = seen("Watching claims", etcd::look).revision() + 1;
    EtcdWatch watch = new EtcdWatch(etcd, memory, scheduler, from, watches::remove);
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
  public Optional<ReasonText> uncertainty(VolumeKey volume) {
    return memory.uncertainty();
  }

  @Override
  public Optional<ReasonText> readOnly() {
    return memory.readOnly();
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
