package io.csi4j.volume.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.AccessMode;
import io.csi4j.client.NodeId;
import io.csi4j.client.PublishContext;
import io.csi4j.volume.Namespace;
import io.csi4j.volume.VolumeKey;
import io.csi4j.volume.WorkloadId;
import io.csi4j.volume.claim.ClaimWatch.Change;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every {@link ClaimStore} promises. Extend it for a store of your own: each test has an empty
 * store, and the stores that one test opens are one.
 */
public abstract class ClaimStoreContract {

  private static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");
  private static final VolumeKey DB = VolumeKey.of("db");
  private static final Claim.Use USE =
      new Claim.Use(AccessMode.MULTI_NODE_MULTI_WRITER, Attachment.BLOCK_DEVICE);
  private static final Duration LONG = Duration.ofSeconds(30);

  private final List<ClaimStore> opened = new ArrayList<>();
  private ClaimStore store;

  /** The contract, for the class of a store. */
  protected ClaimStoreContract() {}

  /** Another client of the store of this test. */
  protected abstract ClaimStore open();

  @BeforeEach
  void openOne() {
    store = another();
  }

  private ClaimStore another() {
    ClaimStore next = open();
    opened.add(next);
    return next;
  }

  @AfterEach
  void closeAll() {
    opened.forEach(ClaimStore::close);
  }

  private static WriteToken token() {
    return new WriteToken(UUID.randomUUID());
  }

  private static Claim held(VolumeKey volume, String... workloads) {
    Claim claim = Claim.none(volume);
    for (String workload : workloads) {
      claim = claim.with(holder(workload, claim.epoch() + 1), USE);
    }
    return claim;
  }

  private static ClaimHolder holder(String workload, long epoch) {
    return new ClaimHolder(
        WorkloadId.of(workload),
        NodeName.of("n1"),
        Optional.of(NodeId.of("node-1")),
        ClaimMode.WRITE,
        ClaimState.UNPUBLISHING,
        epoch,
        THEN,
        new NodeAttachment.Attached(PublishContext.of(Map.of("lun", "7"))));
  }

  private Versioned write(Versioned before, Claim next) {
    WriteResult result = store.compareAndSet(before.version(), next, token());
    assertThat(result).isInstanceOf(WriteResult.Written.class);
    return ((WriteResult.Written) result).now();
  }

  @Test
  void whatWasNeverWrittenIsHeldByNobody() {
    assertThat(store.read(DB))
        .isEqualTo(new Versioned(Claim.none(DB), ClaimVersion.NEVER, Optional.empty()));
  }

  @Test
  void whatWasWrittenIsReadAsItWas() {
    Claim claim = held(DB, "a", "b").exhausted(Optional.of(THEN.plusSeconds(7)));
    WriteToken token = token();

    WriteResult result = store.compareAndSet(ClaimVersion.NEVER, claim, token);

    Versioned now = ((WriteResult.Written) result).now();
    assertThat(now.claim()).isEqualTo(claim);
    assertThat(now.by()).contains(token);
    assertThat(now.version().value()).isPositive();
    assertThat(store.read(DB)).isEqualTo(now);
  }

  @Test
  void anotherClientSeesItAtOnce() {
    ClaimStore other = another();
    Versioned now = write(store.read(DB), held(DB, "a"));

    assertThat(other.read(DB)).isEqualTo(now);
    assertThat(other.identity()).isEqualTo(store.identity());
  }

  @Test
  void whoExpectsAnotherVersionIsToldWhatIsThere() {
    Versioned first = write(store.read(DB), held(DB, "a"));

    assertThat(store.compareAndSet(ClaimVersion.NEVER, held(DB, "b"), token()))
        .isEqualTo(new WriteResult.Conflict(first));
    assertThat(
            store.compareAndSet(
                new ClaimVersion(first.version().value() + 1), held(DB, "b"), token()))
        .isEqualTo(new WriteResult.Conflict(first));
    assertThat(store.read(DB)).isEqualTo(first);
  }

  @Test
  void anExpectedVersionOfAKeyThatWasNeverWrittenIsAConflict() {
    assertThat(store.compareAndSet(new ClaimVersion(1), held(DB, "a"), token()))
        .isEqualTo(new WriteResult.Conflict(store.read(DB)));
    assertThat(store.read(DB).version()).isEqualTo(ClaimVersion.NEVER);
  }

  @Test
  void versionsGrowAlsoWhenNobodyHoldsItAnyMore() {
    List<Long> versions = new ArrayList<>();
    Versioned at = store.read(DB);
    for (Claim next : List.of(held(DB, "a"), Claim.none(DB), held(DB, "a"), Claim.none(DB))) {
      at = write(at, next);
      versions.add(at.version().value());
    }

    assertThat(versions).doesNotHaveDuplicates().isSorted();
    assertThat(store.read(DB)).isEqualTo(at);
  }

  @Test
  void keysDoNotTouchEachOther() {
    VolumeKey other = VolumeKey.of(Namespace.of("team"), "db");
    Versioned ours = write(store.read(DB), held(DB, "a"));

    Versioned theirs = write(store.read(other), held(other, "b"));

    assertThat(store.read(DB)).isEqualTo(ours);
    assertThat(store.read(other)).isEqualTo(theirs);
  }

  @Test
  void namesOfAnyKindAreKeys() {
    List<VolumeKey> keys =
        List.of(
            VolumeKey.of("a/b"),
            VolumeKey.of(Namespace.of("a"), "b/c"),
            VolumeKey.of(Namespace.of("a/b"), "c"),
            VolumeKey.of("größe 𝄞 %2F\\"),
            VolumeKey.of("x".repeat(1024)));

    keys.forEach(key -> write(store.read(key), held(key, "of " + key.namespace())));

    assertThat(keys).allSatisfy(key -> assertThat(store.read(key).claim().volume()).isEqualTo(key));
    assertThat(store.scan(Optional.empty(), 100))
        .extracting(each -> each.claim().volume())
        .containsExactlyInAnyOrderElementsOf(keys);
  }

  @Test
  void aScanGoesThroughAllInTheOrderOfKeysPageByPage() {
    List<VolumeKey> keys =
        IntStream.range(0, 25).mapToObj(i -> VolumeKey.of("v-" + (char) ('a' + i))).toList();
    keys.forEach(key -> write(store.read(key), held(key, "w")));

    List<VolumeKey> seen = new ArrayList<>();
    Optional<VolumeKey> after = Optional.empty();
    for (List<Versioned> page = store.scan(after, 10);
        !page.isEmpty();
        page = store.scan(after, 10)) {
      assertThat(page.size()).isLessThanOrEqualTo(10);
      page.forEach(each -> seen.add(each.claim().volume()));
      after = Optional.of(seen.get(seen.size() - 1));
    }

    assertThat(seen).isEqualTo(keys);
  }

  @Test
  void ofManyWhoWriteAtOnceExactlyOneWins() throws Exception {
    List<Callable<WriteResult>> tries = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      ClaimStore client = i % 2 == 0 ? store : another();
      String workload = "w-" + i;
      tries.add(() -> client.compareAndSet(ClaimVersion.NEVER, held(DB, workload), token()));
    }

    List<WriteResult> results = atOnce(tries);

    Versioned there = store.read(DB);
    assertThat(results)
        .filteredOn(WriteResult.Written.class::isInstance)
        .containsExactly(new WriteResult.Written(there));
    assertThat(results)
        .filteredOn(WriteResult.Conflict.class::isInstance)
        .containsOnly(new WriteResult.Conflict(there))
        .hasSize(15);
  }

  @Test
  void noWriteIsLostUnderContention() throws Exception {
    List<Callable<Integer>> writers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      ClaimStore client = another();
      String workload = "w-" + i;
      writers.add(
          () -> {
            int lost = 0;
            for (Versioned at = client.read(DB); ; lost++) {
              long epoch = at.claim().epoch() + 1;
              Claim next = at.claim().with(holder(workload, epoch), USE);
              WriteResult result = client.compareAndSet(at.version(), next, token());
              if (result instanceof WriteResult.Written) {
                return lost;
              }
              at = ((WriteResult.Conflict) result).now();
            }
          });
    }

    assertThat(atOnce(writers)).allSatisfy(lost -> assertThat(lost).isLessThan(8));

    assertThat(store.read(DB).claim().holders()).hasSize(8);
    assertThat(store.read(DB).claim().epoch()).isEqualTo(8);
  }

  @Test
  void aWatchShowsWhatIsWrittenInTheOrderOfAKey() throws InterruptedException {
    try (ClaimWatch watch = store.watch()) {
      Versioned first = write(store.read(DB), held(DB, "a"));
      Versioned second = write(first, held(DB, "a", "b"));

      assertThat(watch.next(LONG)).contains(new Change.Written(first));
      assertThat(watch.next(LONG)).contains(new Change.Written(second));
      assertThat(watch.next(Duration.ZERO)).isEmpty();
    }
  }

  @Test
  void aWatchShowsWhatOtherClientsWrite() throws InterruptedException {
    try (ClaimWatch watch = another().watch()) {
      Versioned now = write(store.read(DB), held(DB, "a"));

      assertThat(watch.next(LONG)).contains(new Change.Written(now));
    }
  }

  @Test
  void aClosedWatchShowsNothingAndKeepsNobodyWaiting() throws InterruptedException {
    ClaimWatch watch = store.watch();
    watch.close();
    write(store.read(DB), held(DB, "a"));

    assertThat(watch.next(LONG)).isEmpty();
  }

  @Test
  void closingTwiceIsHarmless() {
    ClaimStore other = another();
    other.close();
    other.close();

    assertThat(store.read(DB).version()).isEqualTo(ClaimVersion.NEVER);
  }

  private static <T> List<T> atOnce(List<Callable<T>> work) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(work.size());
    try {
      List<T> results = new ArrayList<>();
      for (Future<T> each : threads.invokeAll(work)) {
        results.add(each.get(60, TimeUnit.SECONDS));
      }
      return results;
    } finally {
      threads.shutdownNow();
    }
  }
}
