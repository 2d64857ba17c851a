package io.csi4j.volume.upkeep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCondition;
import io.csi4j.client.model.VolumeContentSource;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimEvent;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.claim.coordination.ScriptedController;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.store.local.MemoryStore;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Drift is repaired under the rules of claims, and only while it is so. */
class ClaimRepairTest {

  private static final VolumeKey DB = VolumeKey.of("db");
  private static final VolumeId HANDLE = VolumeId.of("vol-1");
  private static final VolumeUse WEB = VolumeUse.of(DB, WorkloadId.of("web"));
  private static final NodeId N1 = NodeId.of("id-n1");
  private static final NodeId N2 = NodeId.of("id-n2");

  private final MemoryStore store = new MemoryStore();
  private final ClaimBook book = new ClaimBook(store, Clock.systemUTC());
  private final ScriptedController storage = new ScriptedController();
  private final ClaimCoordinator claims =
      new ClaimCoordinator(book, storage, Clock.systemUTC(), event -> {});
  private final List<OperatorMessage> told = new ArrayList<>();
  private final DriftCheck.Repair repair = DriftCheck.Repair.by(claims, told::add);

  private ClaimGrant acquire() {
    return acquire(WEB);
  }

  private ClaimGrant acquire(VolumeUse usage) {
    return claims.acquire(
        ClaimRequest.builder(
                usage,
                NodeName.of("n1"),
                new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
                ClaimMode.WRITE)
            .nodeId(N1)
            .build());
  }

  private ClaimHolder holder() {
    return book.read(DB).holder(WEB.workload()).orElseThrow();
  }

  private Drift.LostAttachment lost() {
    return new Drift.LostAttachment(DB, HANDLE, holder());
  }

  private static Drift.UnknownAttachment unknown(NodeId node) {
    return new Drift.UnknownAttachment(DB, HANDLE, node);
  }

  @Test
  void whatIsLostIsAttachedAgainAndWhatItReturnedIsKept() {
    ClaimGrant first = acquire();
    storage.attached.clear();

    assertThat(repair.attachAgain(lost())).isTrue();

    assertThat(storage.attached).containsExactly("db@id-n1");
    assertThat(storage.calls).containsExactly("attach db@id-n1", "attach db@id-n1");
    assertThat(holder().attachment())
        .isEqualTo(
            new ClaimHolder.Attachment.Attached(PublishContext.of(Map.of("device", "db@id-n1"))));
    assertThat(holder().epoch()).isEqualTo(first.epoch());
    assertThat(told).isEmpty();
  }

  @Test
  void anotherContextThanBeforeIsKeptAndToldWithTheGrant() {
    List<OperatorMessage> noticed = new ArrayList<>();
    ClaimCoordinator telling =
        new ClaimCoordinator(
            book,
            storage,
            Clock.systemUTC(),
            event -> {
              if (event instanceof ClaimEvent.Noticed notice) {
                noticed.add(notice.message());
              }
            });
    ClaimGrant first = acquire();
    assertThat(first.contextChanged()).isFalse();
    assertThat(telling.attachAgain(WEB, first.epoch()).contextChanged()).isFalse();
    assertThat(noticed).isEmpty();

    PublishContext other = PublishContext.of(Map.of("device", "s3cr3t"));
    storage.next(other);
    ClaimGrant again = telling.attachAgain(WEB, first.epoch());

    assertThat(again.contextChanged()).isTrue();
    assertThat(again.context()).isEqualTo(other);
    assertThat(holder().attachment()).isEqualTo(new ClaimHolder.Attachment.Attached(other));
    assertThat(noticed)
        .extracting(OperatorMessage::code)
        .containsExactly(OperatorCode.PUBLISH_CONTEXT_CHANGED);
    assertThat(noticed.toString()).doesNotContain("s3cr3t");
    assertThat(acquire().context()).isEqualTo(other);
  }

  @Test
  void whatIsGivenBackByThenIsNotAttachedAgain() {
    assertThat(acquire().epoch()).isEqualTo(1);
    Drift.LostAttachment seen = lost();
    assertThat(claims.release(WEB)).isInstanceOf(ClaimProgress.WaitsForNode.class);
    storage.calls.clear();

    assertThat(repair.attachAgain(seen)).isFalse();

    assertThat(storage.calls).isEmpty();
    assertThat(told).extracting(OperatorMessage::code).containsExactly(OperatorCode.CLAIM_MISSING);
  }

  @Test
  void whyItCannotBeAttachedAgainIsTold() {
    assertThat(acquire().epoch()).isEqualTo(1);
    storage.next(StatusCode.FAILED_PRECONDITION, Outcome.SETTLED);

    assertThat(repair.attachAgain(lost())).isFalse();

    assertThat(told)
        .extracting(OperatorMessage::code)
        .containsExactly(OperatorCode.ATTACHED_ELSEWHERE);
    assertThat(holder().state()).isEqualTo(ClaimHolder.State.TAKEN);
  }

  @Test
  void whatNobodyClaimsIsDetachedAndWhatIsClaimedIsNot() {
    assertThat(acquire().epoch()).isEqualTo(1);
    storage.attached.add("db@id-n2");

    assertThat(repair.detach(unknown(N2))).isTrue();
    assertThat(repair.detach(unknown(N1))).isFalse();

    assertThat(storage.attached).containsExactly("db@id-n1");
    assertThat(storage.calls).containsExactly("attach db@id-n1", "detach db@id-n2");
    assertThat(told).isEmpty();
  }

  @Test
  void aClaimOnItsWayBackIsDetachedByItsOwnWayAlone() {
    ClaimGrant grant = acquire();
    assertThat(claims.release(WEB)).isInstanceOf(ClaimProgress.WaitsForNode.class);
    assertThat(repair.detach(unknown(N1))).isFalse();
    book.advance(WEB, ClaimHolder.State.NODE_DETACHED);
    assertThat(repair.detach(unknown(N1))).isFalse();
    book.advance(WEB, ClaimHolder.State.CONTROLLER_DETACHED);

    assertThat(repair.detach(unknown(N1))).isTrue();
    assertThat(grant.epoch()).isEqualTo(1);
  }

  @Test
  void aDetachWhoseEndIsNotKnownIsSaidToBeSo() {
    storage.next(StatusCode.DEADLINE_EXCEEDED, Outcome.UNCERTAIN);
    ClaimException failed =
        catchThrowableOfType(ClaimException.class, () -> claims.detachUnclaimed(DB, N2));
    assertThat(failed.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(failed.code()).isEqualTo(OperatorCode.DETACH_FAILED);

    storage.next(StatusCode.UNAVAILABLE, Outcome.SETTLED);
    assertThat(repair.detach(unknown(N2))).isFalse();
    assertThat(told).extracting(OperatorMessage::code).containsExactly(OperatorCode.DETACH_FAILED);
  }

  private record OnSecondNode(VolumeId id) implements Volume, VolumeEntry {
    @Override
    public Volume volume() {
      return this;
    }

    @Override
    public List<NodeId> publishedNodes() {
      return List.of(N2);
    }

    @Override
    public Optional<VolumeCondition> condition() {
      return Optional.empty();
    }

    @Override
    public OptionalLong capacityBytes() {
      return OptionalLong.empty();
    }

    @Override
    public VolumeContext context() {
      return VolumeContext.empty();
    }

    @Override
    public Optional<VolumeContentSource> contentSource() {
      return Optional.empty();
    }

    @Override
    public List<Topology> accessibleTopology() {
      return List.of();
    }
  }

  /** A plugin that tells of every volume that it is attached to the second node alone. */
  private static final class Elsewhere implements StoredAttachments {
    @Override
    public Set<ControllerCapability> offered() {
      return Set.of(
          ControllerCapability.GET_VOLUME, ControllerCapability.LIST_VOLUMES_PUBLISHED_NODES);
    }

    @Override
    public List<VolumeEntry> list() {
      return List.of();
    }

    @Override
    public Optional<VolumeEntry> read(VolumeId volume) {
      return Optional.of(new OnSecondNode(volume));
    }
  }

  @Test
  void aPluginThatDoesNotAnswerIsAskedForTwoRepairsOnlyAndThoseWithoutAnAnswerComeLast() {
    PluginId slow = PluginId.of("slow");
    Map<VolumeId, VolumeKey> volumes = new TreeMap<>(Comparator.comparing(VolumeId::value));
    for (int i = 1; i <= 4; i++) {
      VolumeKey volume = VolumeKey.of("db" + i);
      storage.plugins.put(volume, slow);
      volumes.put(VolumeId.of("vol-" + i), volume);
    }
    storage.silent.add(slow);
    DriftCheck check = new DriftCheck(new Elsewhere(), store);
    DriftCheck.Policy policy = new DriftCheck.Policy(true, true);
    DriftCheck.Report report = check.look(volumes);
    assertThat(report.findings()).hasSize(4);

    assertThat(check.repair(report, policy, repair)).isEmpty();

    assertThat(storage.calls).containsExactly("detach db1@id-n2", "detach db2@id-n2");
    assertThat(told).extracting(OperatorMessage::code).containsOnly(OperatorCode.DETACH_FAILED);
    assertThat(told).hasSize(4);
    assertThat(told.get(2).line())
        .contains("plugin 'slow' left 2 other calls unanswered, and is called again");

    storage.calls.clear();
    DriftCheck.Repair ofAnother = DriftCheck.Repair.by(claims, told::add);
    assertThat(
            check.repair(new DriftCheck.Report(List.of(), 0, 0, new TreeMap<>()), policy, repair))
        .isEmpty();
    assertThat(check.repair(report, policy, repair)).isEmpty();
    assertThat(storage.calls).containsExactly("detach db3@id-n2", "detach db4@id-n2");

    storage.silent.clear();
    assertThat(check.repair(report, policy, ofAnother))
        .as("in the order of the report")
        .isEqualTo(report.findings());
  }

  @Test
  void whatAPluginDoesNotAttachAgainCountsToo() {
    PluginId slow = PluginId.of("slow");
    List<Drift> lost = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      VolumeUse usage = VolumeUse.of(VolumeKey.of("db" + i), WEB.workload());
      storage.plugins.put(usage.volume(), slow);
      acquire(usage);
      lost.add(
          new Drift.LostAttachment(
              usage.volume(),
              VolumeId.of("vol-" + i),
              book.read(usage.volume()).holder(usage.workload()).orElseThrow()));
    }
    storage.silent.add(slow);
    storage.calls.clear();

    List<Drift> repaired =
        new DriftCheck(new Elsewhere(), store)
            .repair(
                new DriftCheck.Report(lost, 3, 0, new TreeMap<>()),
                new DriftCheck.Policy(true, false),
                repair);

    assertThat(repaired).isEmpty();
    assertThat(storage.calls).containsExactly("attach db1@id-n1", "attach db2@id-n1");
    assertThat(told).extracting(OperatorMessage::code).containsOnly(OperatorCode.ATTACH_FAILED);
    assertThat(told).hasSize(3);
  }
}
