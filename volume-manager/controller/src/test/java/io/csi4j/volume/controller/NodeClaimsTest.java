package io.csi4j.volume.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.NodeClaims;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a node is told of claims, and what it proves. */
class NodeClaimsTest {

  private static final VolumeUse WEB = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web"));
  private static final NodeName N1 = NodeName.of("n1");

  private static NodeClaims claims() {
    return NodeClaims.of(N1, (usage, epoch) -> new ClaimStanding.Current());
  }

  @Test
  void byDefaultNothingIsMountedWithoutAnAnswerAndNothingTakenAway() {
    assertThat(claims().selfFence()).isEmpty();
    assertThat(claims().goesOnFromRecord()).isFalse();
    assertThat(claims().patience()).isEqualTo(Duration.ofSeconds(10));
    assertThat(claims().interval()).isEqualTo(Duration.ofMinutes(1));
    assertThat(claims().toBuilder().goesOnFromRecord(true).build().goesOnFromRecord()).isTrue();
  }

  @Test
  void timesThatMakeNoSenseAreRefused() {
    for (Duration none : List.of(Duration.ZERO, Duration.ofSeconds(-1))) {
      assertThatThrownBy(() -> claims().toBuilder().patience(none).build())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("The patience has to be positive, not " + none + ".");
      assertThatThrownBy(() -> claims().toBuilder().interval(none).build())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("The interval has to be positive, not " + none + ".");
    }
    assertThatThrownBy(() -> claims().toBuilder().selfFence(Duration.ofSeconds(59)).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "A node looks at its claims every 60000 ms, and cannot fence itself after 59000 ms."
                + " Let it look more often, or allow it more time.");
    assertThat(claims().toBuilder().selfFence(Duration.ofMinutes(1)).build().selfFence())
        .contains(Duration.ofMinutes(1));
  }

  @Test
  void aReceiptIsAboutOneClaimOnly() {
    NodeReceipt receipt = receipt(7, "n1", List.of(Path.of("/v")));

    assertThat(holder("web", "n1", 7).isMeantBy(receipt)).isTrue();
    assertThat(holder("web", "n1", 8).isMeantBy(receipt)).as("a later claim").isFalse();
    assertThat(holder("web", "n2", 7).isMeantBy(receipt)).as("another node").isFalse();
    assertThat(holder("job", "n1", 7).isMeantBy(receipt)).as("another workload").isFalse();
    assertThatThrownBy(() -> receipt(0, "n1", List.of(Path.of("/v"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("The epoch of a claim is at least 1, not 0.");
    assertThatThrownBy(() -> receipt(7, "n1", List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("A receipt needs at least one path that the node examined.");
  }

  private static NodeReceipt receipt(long epoch, String node, List<Path> looked) {
    return new NodeReceipt(WEB, epoch, NodeName.of(node), "boot", looked, NodeReceipt.Staging.GONE);
  }

  private static ClaimHolder holder(String workload, String node, long epoch) {
    return new ClaimHolder(
        WorkloadId.of(workload),
        NodeName.of(node),
        Optional.empty(),
        ClaimMode.WRITE,
        ClaimHolder.State.UNPUBLISHING,
        epoch,
        Instant.EPOCH,
        new ClaimHolder.Attachment.NotNeeded());
  }
}
