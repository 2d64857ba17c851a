package io.csi4j.volume.claim.coordination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.NodeId;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.ClaimsOfNode;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.PassingStore;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.local.MemoryStore;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The claims of nodes by a watch, beside those that reading all records gives. */
class ClaimsOfNodesTest {

  private static final NodeName A = NodeName.of("a");
  private static final NodeName B = NodeName.of("b");

  private final WatchedStore store = new WatchedStore();
  private final ClaimCoordinator claims = coordinator();
  private final ClaimCoordinator others = coordinator();
  private final ClaimsOfNodes nodes = new ClaimsOfNodes(claims);

  private ClaimCoordinator coordinator() {
    Clock clock = Clock.systemUTC();
    return new ClaimCoordinator(
        new ClaimBook(store, clock), new ScriptedController(), clock, event -> {});
  }

  /** A store whose questions are counted, and whose watches are silent, lossy or refused. */
  private static final class WatchedStore extends PassingStore {

    private final List<RecordKey> read = new ArrayList<>();
    private int scans;
    private int open;
    private boolean isSilent;
    private boolean hasMissed;
    private boolean fails;

    WatchedStore() {
      super(new MemoryStore());
    }

    @Override
    public Optional<StoredRecord> read(RecordKey key) {
      read.add(key);
      return super.read(key);
    }

    @Override
    public Page scan(RecordKey.Space space, Optional<RecordKey> after, int limit) {
      scans++;
      if (fails) {
        throw new RecordStoreException("The store is away.", new IllegalStateException());
      }
      return super.scan(space, after, limit);
    }

    @Override
    public Watch watch(RecordKey.Space space) {
      Watch watch = super.watch(space);
      open++;
      return new Watch() {
        @Override
        public Optional<Change> next(Duration wait) throws InterruptedException {
          if (isSilent) {
            return Optional.empty();
          }
          if (hasMissed) {
            hasMissed = false;
            return Optional.of(new Change.Missed(new ReasonText("it was away")));
          }
          return watch.next(wait);
        }

        @Override
        public void close() {
          open--;
          watch.close();
        }
      };
    }
  }

  private static VolumeUse usage(String volume) {
    return VolumeUse.of(VolumeKey.of(volume), WorkloadId.of("web"));
  }

  private static ClaimRequest wish(String volume, NodeName node) {
    return ClaimRequest.builder(
            usage(volume),
            node,
            new Claim.Use(AccessMode.MULTI_NODE_MULTI_WRITER, AttachmentMode.FILESYSTEM),
            ClaimMode.WRITE)
        .nodeId(NodeId.of("id-" + node))
        .build();
  }

  private static NodeReceipt receipt(ClaimEpoch claim) {
    return new NodeReceipt(
        claim.usage(),
        claim.epoch(),
        claim.node(),
        "boot",
        List.of(Path.of("/t")),
        NodeReceipt.Staging.GONE);
  }

  private List<String> known(NodeName node, String... named) {
    Set<VolumeKey> volumes = new HashSet<>();
    for (String each : named) {
      volumes.add(VolumeKey.of(each));
    }
    return nodes.of(node, volumes).all().stream().map(each -> each.usage().volume().id()).toList();
  }

  @Test
  void onlyTheClaimsOfTheNodeAreRead() {
    for (int i = 0; i < 1200; i++) {
      others.acquire(wish("v" + i, i % 400 == 0 ? A : B));
    }
    assertThat(known(A)).containsExactly("v0", "v400", "v800");
    store.read.clear();
    store.scans = 0;
    others.acquire(wish("w", A));
    store.read.clear();

    assertThat(known(A)).containsExactly("v0", "v400", "v800", "w");

    assertThat(store.scans).isZero();
    assertThat(store.read).hasSize(4);
    assertThat(nodes.of(A, Set.of())).isEqualTo(claims.ofNode(A));
  }

  @Test
  void aClaimOfAVolumeThatIsNamedIsNeverMissing() {
    assertThat(known(A)).isEmpty();
    store.isSilent = true;
    others.acquire(wish("db", A));

    assertThat(known(A)).isEmpty();
    assertThat(known(A, "db")).containsExactly("db");
    assertThat(known(B, "db")).isEmpty();

    store.isSilent = false;
    assertThat(known(A)).containsExactly("db");
  }

  /** What the watch has not told yet is not taken for the truth of a claim. */
  @Test
  void aClaimIsToldAsItIsNow() {
    others.acquire(wish("db", A));
    assertThat(nodes.of(A, Set.of()).taken()).hasSize(1);
    store.isSilent = true;
    others.release(usage("db"));

    ClaimsOfNode now = nodes.of(A, Set.of());

    assertThat(now.taken()).isEmpty();
    assertThat(now.leaving()).extracting(ClaimEpoch::usage).containsExactly(usage("db"));
    others.confirmRelease(receipt(now.leaving().get(0)));
    assertThat(known(A)).isEmpty();
  }

  @Test
  void afterAChangeThatWasMissedAllAreReadAgain() {
    others.acquire(wish("db", A));
    assertThat(known(A)).containsExactly("db");
    store.isSilent = true;
    others.acquire(wish("log", A));
    store.isSilent = false;
    store.hasMissed = true;
    store.scans = 0;

    assertThat(known(A)).containsExactly("db", "log");
    assertThat(store.scans).isEqualTo(1);
    assertThat(store.open).isEqualTo(1);
  }

  /** A watch that holds so much may not follow any more. */
  @Test
  void afterVeryManyChangesAllAreReadAgain() {
    assertThat(known(A)).isEmpty();
    for (int i = 0; i < 100; i++) {
      others.acquire(wish("v" + i, B));
    }
    store.scans = 0;
    assertThat(known(A)).isEmpty();
    assertThat(store.scans).isZero();
    for (int i = 100; i < 700; i++) {
      others.acquire(wish("v" + i, B));
    }

    assertThat(known(A)).isEmpty();
    assertThat(store.scans).isEqualTo(2);
    assertThat(store.open).isEqualTo(1);
  }

  @Test
  void aReadingThatFailedIsDoneAgainAndLeavesNoWatchOpen() {
    others.acquire(wish("db", A));
    store.fails = true;
    for (int i = 0; i < 2; i++) {
      assertThat(catchThrowableOfType(ClaimException.class, () -> known(A)).code())
          .isEqualTo(OperatorCode.CLAIM_STORE_DOWN);
      assertThat(store.open).isZero();
    }
    store.fails = false;

    assertThat(known(A)).containsExactly("db");
  }

  /** It may be of any node, also of one that had no claim of the volume before. */
  @Test
  void aRecordThatCannotBeReadIsToldToEachNodeUntilItCanBe() {
    others.acquire(wish("db", A));
    assertThat(known(A)).containsExactly("db");
    RecordKey key = RecordKey.of(RecordKey.Space.CLAIMS, VolumeKey.of("db"));
    StoredRecord before = store.read(key).orElseThrow();
    write(key, StateValue.of(new byte[] {8, 9}));
    write(new RecordKey(RecordKey.Space.CLAIMS, "nothing"), StateValue.of(new byte[] {8, 9}));

    for (NodeName node : List.of(A, B)) {
      assertThat(nodes.of(node, Set.of()).all()).isEmpty();
      assertThat(nodes.of(node, Set.of()).unreadable())
          .extracting(OperatorMessage::code)
          .containsExactly(OperatorCode.CLAIM_UNREADABLE, OperatorCode.CLAIM_UNREADABLE);
    }
    try (ClaimsOfNodes late = new ClaimsOfNodes(claims)) {
      assertThat(late.of(B, Set.of()).unreadable()).hasSize(2);
    }

    write(key, before.value());
    assertThat(known(A)).containsExactly("db");
    assertThat(nodes.of(B, Set.of()).unreadable()).hasSize(1);
  }

  private void write(RecordKey key, StateValue value) {
    assertThat(store.write(new RecordWrite(key, store.read(key), Optional.of(value))))
        .isInstanceOf(RecordStore.WriteResult.Written.class);
  }

  @Test
  void afterManyChangesItIsWhatReadingAllGives() {
    Random random = new Random(7);
    for (int i = 0; i < 2000; i++) {
      String volume = "v" + random.nextInt(12);
      NodeName node = random.nextBoolean() ? A : B;
      if (random.nextInt(3) > 0) {
        try {
          others.acquire(wish(volume, node));
        } catch (ClaimException held) {
          // It is still with the other node.
        }
      } else {
        others.release(usage(volume));
        if (random.nextBoolean()) {
          claims.ofNode(node).leaving().stream()
              .filter(each -> each.usage().equals(usage(volume)))
              .forEach(each -> others.confirmRelease(receipt(each)));
        }
      }
      if (random.nextInt(100) == 0) {
        store.hasMissed = true;
      }
      if (random.nextInt(5) == 0) {
        assertThat(nodes.of(node, Set.of())).isEqualTo(claims.ofNode(node));
      }
    }
  }

  @Test
  void closingEndsTheWatch() {
    assertThat(known(A)).isEmpty();
    assertThat(store.open).isEqualTo(1);

    nodes.close();
    nodes.close();

    assertThat(store.open).isZero();
    others.acquire(wish("db", A));
    assertThat(known(A)).containsExactly("db");
    assertThat(store.open).isZero();
  }
}
