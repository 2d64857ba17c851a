package io.csi4j.volume.functional;

import static io.csi4j.volume.functional.Node.identity;
import static io.csi4j.volume.functional.Node.usage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.NodeReceipt.Staging;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.UnmountOutcome;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A node proves that it has given a use back, and never says so of what is still there. */
class ReceiptTest {

  private static final VolumeUse WEB = usage("vol-1", "web");
  private static final VolumeId VOLUME = VolumeId.of("vol-1");

  private final ScriptedClaims claims = new ScriptedClaims();

  private Node open() {
    return Node.builder().claims(claims).open();
  }

  private static MountRequest claimed(String volume, String workload, long epoch) {
    return Node.request(volume, workload, AccessMode.MULTI_NODE_MULTI_WRITER)
        .claim(Node.grant(usage(volume, workload), epoch))
        .build();
  }

  private static NodeReceipt receipt(Node node) {
    return node.engine().receipt(WEB, 7, Optional.of(identity(VOLUME)));
  }

  private static void refused(Node node, String seen) {
    refused(node, true, seen);
    refused(node, false, seen);
  }

  private static void refused(Node node, boolean isNamed, String seen) {
    VolumeException failure =
        catchThrowableOfType(
            VolumeException.class,
            () ->
                node.engine()
                    .receipt(WEB, 7, isNamed ? Optional.of(identity(VOLUME)) : Optional.empty()));
    assertThat(failure).isNotNull();
    assertThat(failure.code()).isEqualTo(OperatorCode.RECEIPT_REFUSED);
    assertThat(failure.outcome()).isEqualTo(Outcome.REFUSED);
    assertThat(failure.operatorMessage().seen().text()).isEqualTo(seen);
  }

  @Test
  void afterItsReleaseTheNodeProvesThatNothingIsLeft() {
    try (Node node = open()) {
      node.volume("vol-1");
      node.mount(claimed("vol-1", "web", 7));
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);

      assertThat(receipt(node))
          .isEqualTo(
              new NodeReceipt(
                  WEB,
                  7,
                  NodeName.of("n1"),
                  node.kernel().bootId(),
                  List.of(
                      node.targetPath("vol-1", "web").toPath(), node.stagingPath(VOLUME).toPath()),
                  Staging.GONE));
      assertThat(node.engine().receipt(WEB, 7, Optional.empty()).looked())
          .containsExactly(node.layout().volumes().toPath());
      node.restart();
      assertThat(receipt(node).staging()).isEqualTo(Staging.GONE);
    }
  }

  @Test
  void whatIsMountedOrOnRecordIsNoProof() {
    try (Node node = open()) {
      node.volume("vol-1");
      node.mount(claimed("vol-1", "web", 7));

      refused(node, "it is recorded, or an operation on it is pending");

      node.plugin()
          .inject(
              Fault.fail(StatusCode.INTERNAL, "not now"),
              When.calling(CsiOperation.NODE_UNPUBLISH_VOLUME));
      assertThat(node.unmountFails(WEB).code()).isEqualTo(OperatorCode.UNPUBLISH_IN_DOUBT);
      refused(node, "it is recorded, or an operation on it is pending");
      node.plugin().clearFaults();
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
      assertThat(receipt(node).epoch()).isEqualTo(7);
    }
  }

  @Test
  void aMountThatNobodyRemembersIsNoProof() {
    try (Node node = open()) {
      node.kernel().host().directory(node.targetPath("vol-1", "web"));
      node.kernel().host().tmpfs(node.targetPath("vol-1", "web"));

      refused(node, "it is mounted at " + node.targetPath("vol-1", "web"));

      node.kernel().host().detach(node.targetPath("vol-1", "web"));
      assertThat(receipt(node).staging()).isEqualTo(Staging.GONE);
      node.kernel().host().directory(node.stagingPath(VOLUME));
      node.kernel().host().tmpfs(node.stagingPath(VOLUME));
      refused(node, true, "its volume is mounted at " + node.stagingPath(VOLUME));
      refused(
          node,
          false,
          "the request names no volume, but it is unknown which volume is mounted at "
              + node.stagingPath(VOLUME));
      node.leavesSomething();
    }
  }

  @Test
  void aUseOfWhichOnlyTheDirectoryIsLeftIsNoProof() {
    try (Node node = open()) {
      node.volume("vol-1");
      node.mount(claimed("vol-1", "web", 7));
      node.crash();
      node.loseState();
      node.start();

      refused(node, "it is on record as GOING");

      assertThat(node.reconcile().failed()).isZero();
      assertThat(receipt(node).staging()).isEqualTo(Staging.GONE);
    }
  }

  @Test
  void theStagingStaysForOthers() {
    try (Node node = open()) {
      node.volume("vol-1");
      node.mount(claimed("vol-1", "web", 7));
      node.mount(claimed("vol-1", "db", 8));
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.NOT_LAST);

      assertThat(receipt(node).staging()).isEqualTo(Staging.KEPT_FOR_OTHERS);
      assertThat(node.engine().receipt(WEB, 7, Optional.empty()).staging())
          .isEqualTo(Staging.KEPT_FOR_OTHERS);
      assertThat(node.unmount(usage("vol-1", "db"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(receipt(node).staging()).isEqualTo(Staging.GONE);
    }
  }

  @Test
  void aStagingThatIsBeingGivenBackIsNoProof() {
    try (Node node = open()) {
      node.volume("vol-1");
      node.mount(claimed("vol-1", "web", 7));
      node.plugin()
          .inject(
              Fault.fail(StatusCode.INTERNAL, "not now"),
              When.calling(CsiOperation.NODE_UNSTAGE_VOLUME));
      assertThat(node.unmountFails(WEB).code()).isEqualTo(OperatorCode.UNSTAGE_IN_DOUBT);

      refused(node, true, "its staging is recorded as IN_DOUBT");
      refused(
          node,
          false,
          "the request names no volume, and volume 'vol-1' of plugin"
              + " 'fake.csi4j.example' is being released");
      assertThat(
              node.engine()
                  .receipt(WEB, 7, Optional.of(identity(VolumeId.of("another"))))
                  .staging())
          .isEqualTo(Staging.GONE);
      node.plugin().clearFaults();
    }
  }

  @Test
  void aManagerWithoutANameProvesNothing() {
    try (Node node = Node.open()) {
      refused(node, "the manager was opened without the name of its node");
    }
  }
}
