package io.csi4j.volume.internal.claims;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PublishContext;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimHolder.Attachment.Attached;
import io.csi4j.volume.claim.ClaimHolder.Attachment.InDoubt;
import io.csi4j.volume.claim.ClaimHolder.Attachment.NotNeeded;
import io.csi4j.volume.claim.ClaimProgress.Choice;
import io.csi4j.volume.internal.claims.ClaimStep.Intent;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.WorkloadId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The way of a claim, held against a table of its own. */
class ClaimStepsTest {

  private static final Claim.Use USE =
      new Claim.Use(AccessMode.MULTI_NODE_MULTI_WRITER, AttachmentMode.FILESYSTEM);
  private static final WorkloadId WEB = WorkloadId.of("web");
  private static final List<ClaimHolder.Attachment> ATTACHMENTS =
      List.of(new NotNeeded(), new InDoubt(), new Attached(PublishContext.empty()));

  private static ClaimHolder holder(
      String workload, String node, ClaimHolder.State state, ClaimHolder.Attachment attachment) {
    return new ClaimHolder(
        WorkloadId.of(workload),
        NodeName.of(node),
        Optional.of(NodeId.of("id-" + node)),
        ClaimMode.WRITE,
        state,
        1,
        Instant.EPOCH,
        attachment);
  }

  private static Claim claim(ClaimHolder... holders) {
    TreeMap<WorkloadId, ClaimHolder> all = new TreeMap<>();
    for (ClaimHolder holder : holders) {
      all.put(holder.workload(), holder);
    }
    return new Claim(VolumeKey.of("db"), Optional.of(USE), all, 9, Optional.empty());
  }

  /** The table: alone on its node. */
  private static String expected(
      ClaimHolder.State state, ClaimHolder.Attachment attachment, Intent intent) {
    boolean attaching = !(attachment instanceof NotNeeded);
    return switch (state) {
      case TAKEN ->
          intent != Intent.HOLD
              ? "Write UNPUBLISHING"
              : attachment instanceof InDoubt ? "Attach" : "Done";
      case UNPUBLISHING ->
          intent == Intent.GIVE_BACK_WITHOUT_NODE
              ? (attaching ? "NeedsProof of 5" : "NeedsProof of 4")
              : "WaitForNode";
      case NODE_DETACHED -> attaching ? "Detach for [web]" : "Write READY_TO_FREE";
      case CONTROLLER_DETACHED -> "Write READY_TO_FREE";
      case READY_TO_FREE -> "Forget";
    };
  }

  private static String words(ClaimStep step) {
    if (step instanceof ClaimStep.Write write) {
      return "Write " + write.state();
    }
    if (step instanceof ClaimStep.NeedsProof needs) {
      return "NeedsProof of " + needs.choices().size();
    }
    if (step instanceof ClaimStep.Detach detach) {
      return "Detach for " + detach.together().stream().map(ClaimHolder::workload).toList();
    }
    return step.getClass().getSimpleName();
  }

  @ParameterizedTest
  @EnumSource
  void theNextStepFollowsFromTheClaimAlone(ClaimHolder.State state) {
    for (ClaimHolder.Attachment attachment : ATTACHMENTS) {
      ClaimHolder other = holder("job", "n2", ClaimHolder.State.TAKEN, new InDoubt());
      Claim claim = claim(holder("web", "n1", state, attachment), other);
      for (Intent intent : Intent.values()) {
        assertThat(words(ClaimRules.next(claim, WEB, intent)))
            .as("%s %s %s", state, attachment, intent)
            .isEqualTo(expected(state, attachment, intent));
      }
    }
  }

  @Test
  void whatIsNotThereNeedsNothing() {
    assertThat(ClaimRules.next(Claim.none(VolumeKey.of("db")), WEB, Intent.GIVE_BACK))
        .isEqualTo(new ClaimStep.Done());
  }

  @Test
  void whatProvesThatANodeCannotWriteDependsOnWhetherItIsAttached() {
    Claim claim = claim(holder("web", "n1", ClaimHolder.State.UNPUBLISHING, new NotNeeded()));

    assertThat(ClaimRules.next(claim, WEB, Intent.GIVE_BACK_WITHOUT_NODE))
        .isEqualTo(new ClaimStep.NeedsProof(EnumSet.complementOf(EnumSet.of(Choice.TAKE_AWAY))));
  }

  @ParameterizedTest
  @EnumSource
  void theLastOfANodeDetachesForAllWhoAreAsFar(ClaimHolder.State other) {
    List<String> steps = new ArrayList<>();
    for (ClaimHolder.Attachment attachment : ATTACHMENTS) {
      Claim claim =
          claim(
              holder("web", "n1", ClaimHolder.State.NODE_DETACHED, new InDoubt()),
              holder("job", "n1", other, attachment));
      steps.add(words(ClaimRules.next(claim, WEB, Intent.GIVE_BACK)));
    }

    String alone = "Detach for [web]";
    String shared =
        switch (other) {
          case TAKEN, UNPUBLISHING -> "Write READY_TO_FREE";
          case NODE_DETACHED -> "Detach for [web, job]";
          case CONTROLLER_DETACHED, READY_TO_FREE -> alone;
        };
    assertThat(steps).containsExactly(alone, shared, shared);
  }

  @Test
  void whatSharesAnAttachmentHasTheSameNodeForThePlugin() {
    ClaimHolder renamed = holder("job", "n1", ClaimHolder.State.TAKEN, new InDoubt());
    Claim claim =
        claim(
            holder("web", "n1", ClaimHolder.State.NODE_DETACHED, new InDoubt()),
            new ClaimHolder(
                renamed.workload(),
                renamed.node(),
                Optional.of(NodeId.of("another id")),
                renamed.mode(),
                renamed.state(),
                renamed.epoch(),
                renamed.since(),
                renamed.attachment()));

    assertThat(words(ClaimRules.next(claim, WEB, Intent.GIVE_BACK))).isEqualTo("Detach for [web]");
  }
}
