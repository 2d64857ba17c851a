package io.csi4j.volume.claim.coordination;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimPage;
import io.csi4j.volume.claim.ClaimsOfNode;
import io.csi4j.volume.internal.claims.ClaimPages;
import io.csi4j.volume.internal.store.RecordValues;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore.Watch;
import io.csi4j.volume.store.RecordStore.Watch.Change;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.StoredRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds the claims of a node efficiently, for a control plane with many nodes. A watch of the store
 * shows which volumes each node has claimed, so only the claims of these volumes are read.
 *
 * <p>All returned claims are current, but a result may lack a claim that was made a moment before,
 * or while the watch was disconnected. The claims of volumes that the caller names are never
 * missing.
 *
 * <pre>{@code
 * try (ClaimsOfNodes nodes = new ClaimsOfNodes(claims)) {
 *   nodes.of(node, Set.of()).leaving().forEach(each -> log.accept(each.usage()));
 * }
 * }</pre>
 *
 * <p>Thread-safe.
 *
 * @since 1.0
 */
public final class ClaimsOfNodes implements AutoCloseable {

  private static final int PAGE = 500;

  /**
   * Maximum number of changes that one call processes. If more changes are waiting, all claims are
   * read again, because the watch may have stopped following the store.
   */
  private static final int MOST_CHANGES = 400;

  private static final Known NOTHING = new Known(0, Set.of());

  private final ClaimCoordinator claims;
  private final ClaimBook book;

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<RecordKey, Known> known = new HashMap<>();
  private final Map<NodeName, Set<RecordKey>> volumes = new HashMap<>();

  /** The records of claims that cannot be read. */
  private final Map<RecordKey, ClaimPage.Unreadable> unread = new HashMap<>();

  private @Nullable Watch watch;
  private boolean isClosed;

  /**
   * The failure of the last scan of all claims. Callers that waited for this scan throw the same
   * failure.
   */
  private volatile @Nullable ClaimException failure;

  /**
   * Creates an object that reads claims and opens a watch only at the first call.
   *
   * @param claims the coordinator of the claims, whose store is watched
   */
  public ClaimsOfNodes(ClaimCoordinator claims) {
    this.claims = Objects.requireNonNull(claims, "claims");
    book = claims.book();
  }

  /**
   * The last known contents of a record.
   *
   * @param version the version of the record
   * @param nodes the nodes with a claim in the record
   */
  private record Known(long version, Set<NodeName> nodes) {}

  /**
   * Returns the claims of a node, as {@link ClaimCoordinator#ofNode} does.
   *
   * @param named the volumes whose claims must not be missing
   * @throws ClaimException if the store of claims or the catalog of volumes cannot answer
   */
  public ClaimsOfNode of(NodeName node, Set<VolumeKey> named) {
    Set<VolumeKey> asked = new TreeSet<>(named);
    List<OperatorMessage> unreadable = new ArrayList<>();
    ClaimException before = failure;
    lock.lock();
    try {
      if (isClosed) {
        return claims.ofNode(node);
      }
      if (failure != null && failure != before) {
        throw failure;
      }
      catchUp();
      volumes.getOrDefault(node, Set.of()).forEach(each -> each.volume().ifPresent(asked::add));
      for (ClaimPage.Unreadable each : unread.values()) {
        each.volume().ifPresentOrElse(asked::add, () -> unreadable.add(each.message()));
      }
    } finally {
      lock.unlock();
    }
    return claims.ofNode(node, asked, unreadable);
  }

  /**
   * Processes the changes that the watch has reported. If the watch may have missed changes, scans
   * all claims.
   */
  private void catchUp() {
    try {
      for (int changes = 0; watch != null; changes++) {
        Optional<Change> next = watch.next(Duration.ZERO);
        if (next.isEmpty()) {
          return;
        }
        take(next.get());
        if (changes == MOST_CHANGES) {
          forgetAll();
        }
      }
      readAll();
      failure = null;
    } catch (ClaimException failed) {
      failure = failed;
      throw failed;
    } catch (InterruptedException e) {
      // The changes that were not processed yet stay in the watch. The result may lack their
      // claims, as it may lack claims that were made a moment before.
      Thread.currentThread().interrupt();
    }
  }

  private void take(Change change) {
    if (change instanceof Change.Written written) {
      take(written.now());
    } else if (change instanceof Change.Removed removed) {
      put(removed.key(), new Known(removed.version(), Set.of()));
    } else {
      forgetAll();
    }
  }

  private void take(StoredRecord now) {
    try {
      put(now.key(), known(now.version(), book.read(now)));
    } catch (RecordStoreException wrong) {
      put(now.key(), new RecordValues.Unreadable(now.key(), wrong));
    }
  }

  private static Known known(long version, Claim claim) {
    return new Known(
        version,
        claim.holders().values().stream()
            .filter(each -> !each.state().isAfter(ClaimHolder.State.UNPUBLISHING))
            .map(ClaimHolder::node)
            .collect(Collectors.toUnmodifiableSet()));
  }

  private void put(RecordKey key, Known now) {
    Known before = known.getOrDefault(key, NOTHING);
    if (before.version() > now.version()) {
      return;
    }
    before.nodes().forEach(node -> volumes.computeIfPresent(node, (same, all) -> less(all, key)));
    now.nodes().forEach(node -> volumes.computeIfAbsent(node, none -> new HashSet<>()).add(key));
    unread.remove(key);
    if (now.nodes().isEmpty()) {
      known.remove(key);
    } else {
      known.put(key, now);
    }
  }

  /**
   * Remembers that a record cannot be read. The record may contain claims of any node, including
   * the nodes that it contained before.
   */
  private void put(RecordKey key, RecordValues.Unreadable record) {
    unread.put(key, ClaimPages.unreadable(record));
  }

  private static @Nullable Set<RecordKey> less(Set<RecordKey> all, RecordKey key) {
    all.remove(key);
    return all.isEmpty() ? null : all;
  }

  private void readAll() {
    boolean isComplete = false;
    try {
      watch = ClaimBook.asked(ClaimBook.READING, book::watch);
      Optional<RecordKey> after = Optional.empty();
      do {
        RecordValues.Page<Claim> page = book.records(after, PAGE);
        page.records()
            .forEach(each -> put(each.key(), known(each.version(), each.value().orElseThrow())));
        page.unreadable().forEach(each -> put(each.key(), each));
        after = page.next();
      } while (after.isPresent());
      isComplete = true;
    } finally {
      if (!isComplete) {
        forgetAll();
      }
    }
  }

  private void forgetAll() {
    closeWatch();
    known.clear();
    volumes.clear();
    unread.clear();
  }

  private void closeWatch() {
    if (watch != null) {
      watch.close();
      watch = null;
    }
  }

  /** Ends the watch. A later call scans all claims. */
  @Override
  public void close() {
    lock.lock();
    try {
      isClosed = true;
      forgetAll();
    } finally {
      lock.unlock();
    }
  }
}
