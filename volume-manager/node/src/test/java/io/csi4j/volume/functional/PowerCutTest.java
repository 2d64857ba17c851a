package io.csi4j.volume.functional;

import static io.csi4j.client.model.CsiOperation.NODE_PUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_UNPUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_UNSTAGE_VOLUME;
import static io.csi4j.volume.functional.Node.shared;
import static io.csi4j.volume.functional.Node.usage;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.UnmountOutcome;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * What was told is on the medium, and what the host's power takes is what nobody was told: no
 * record that waits for the medium is left behind by an operation that has ended.
 */
class PowerCutTest {

  private static final VolumeUse A = usage("vol-1", "a");
  private static final VolumeUse B = usage("vol-1", "b");

  @Test
  void whatWasMountedIsInDoubtAndWhatWasReleasedIsGone() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "a"));
      node.mount(shared("vol-1", "b"));
      assertThat(node.medium().deferred()).isZero();
      assertThat(node.unmount(A)).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(node.medium().deferred()).as("before the caller is told").isZero();

      node.cutPower();
      node.start();

      assertThat(node.report().inDoubt()).containsExactly(B);
      assertThat(node.report().going()).isEmpty();
      node.volume("vol-1");
      node.mount(shared("vol-1", "b"));
      assertThat(node.unmount(B)).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.isClean()).isTrue();
    }
  }

  @Test
  void aReleaseThatIsOwedIsStillOwed() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "a"));
      node.plugin()
          .inject(Fault.fail(StatusCode.INTERNAL, ""), When.calling(NODE_UNPUBLISH_VOLUME));

      VolumeException owed = node.unmountFails(A);

      assertThat(owed.outcome()).isEqualTo(VolumeException.Outcome.IN_PROGRESS);
      assertThat(node.medium().deferred()).as("before the caller is told").isZero();
      node.plugin().clearFaults();
      node.cutPower();
      node.start();
      assertThat(node.report().going()).containsExactly(A);
      node.volume("vol-1");
      node.reconcile();
      node.becomesClean();
    }
  }

  /** The plugin has the call, and what is on the medium is older. */
  @ParameterizedTest
  @EnumSource(
      mode = Mode.INCLUDE,
      names = {
        "NODE_STAGE_VOLUME",
        "NODE_PUBLISH_VOLUME",
        "NODE_UNPUBLISH_VOLUME",
        "NODE_UNSTAGE_VOLUME"
      })
  void inTheMiddleOfACallNothingIsLeftOnceTheHostWantsNothing(CsiOperation operation) {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      boolean isForth = operation == NODE_STAGE_VOLUME || operation == NODE_PUBLISH_VOLUME;
      if (!isForth) {
        node.mount(shared("vol-1", "a"));
      }
      node.plugin().inject(Fault.hang(), When.calling(operation).once());
      CompletableFuture<?> unended =
          isForth ? node.engine().mount(shared("vol-1", "a")) : node.engine().unmount(A);
      node.awaitOpen(operation);
      assertThat(unended).isNotDone();
      assertThat(node.medium().deferred())
          .as("records that the power cut takes")
          .isEqualTo(operation == NODE_STAGE_VOLUME ? 0 : operation == NODE_UNSTAGE_VOLUME ? 2 : 1);

      node.cutPower();
      node.start();
      node.reconcile();

      node.becomesClean();
      assertThat(node.plugin().verdict().lawful()).isTrue();

      node.cutPower();
      node.start();
      assertThat(node.engine().volumes())
          .as("the process that had the call has ended before, so nothing can have come late")
          .isEmpty();
      assertThat(node.report().going()).isEmpty();
    }
  }

  @Test
  void anEmptyDirectoryOfAVolumeThatNothingRemembersIsRemoved() throws DiskException {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "a"));
      Path volumes = node.targetPath("vol-1", "a").toPath().resolve("../../../..").normalize();
      node.crash();
      Path blank = volumes.resolve("a".repeat(25) + "e");
      node.disk().createDirectory(blank);
      node.disk().create(blank.resolve("who.new")).close();

      node.start();

      assertThat(node.disk().list(volumes)).hasSize(1).doesNotContain("a".repeat(25) + "e");
      assertThat(node.report().findings())
          .extracting(OperatorMessage::code)
          .containsExactly(OperatorCode.ADOPTED);
      assertThat(node.unmount(A)).isEqualTo(UnmountOutcome.LAST);
    }
  }
}
