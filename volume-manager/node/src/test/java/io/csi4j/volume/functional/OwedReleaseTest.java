package io.csi4j.volume.functional;

import static io.csi4j.client.model.CsiOperation.NODE_PUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_UNPUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_UNSTAGE_VOLUME;
import static io.csi4j.volume.functional.Node.identity;
import static io.csi4j.volume.functional.Node.single;
import static io.csi4j.volume.functional.Node.usage;
import static io.csi4j.volume.model.VolumeException.Outcome.IN_PROGRESS;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.VolumeStatus;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A volume that is not given back yet is known by its names until it is. */
class OwedReleaseTest {

  private static final VolumeId VOLUME = VolumeId.of("vol-1");
  private static final VolumeUse WEB = usage("vol-1", "web");
  private static final Fault FAILING = Fault.fail(StatusCode.INTERNAL, "the device is busy");

  private static boolean isKnown(Node node) {
    return node.status(VOLUME).filter(status -> status.isOf(VolumeKey.of("vol-1"))).isPresent();
  }

  private static String explained(Node node) {
    return node.engine().explain("volume vol-1", key -> key.equals(WEB)).toString();
  }

  @Test
  void whileItsUnstageIsOwedItIsKnownByItsNames() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin().inject(FAILING, When.calling(NODE_UNSTAGE_VOLUME));

      VolumeException failure = node.unmountFails(WEB);

      assertThat(failure.outcome()).isEqualTo(IN_PROGRESS);
      assertThat(failure.code()).isEqualTo(OperatorCode.UNSTAGE_IN_DOUBT);
      assertThat(explained(node)).contains("perhaps staged", "trouble: ", "CSI-");
      assertThat(isKnown(node)).isTrue();
      assertThat(node.status(VOLUME).map(VolumeStatus::leaving).orElseThrow()).containsExactly(WEB);
      assertThat(node.engine().mayDetach(identity(VOLUME))).isFalse();
      assertThat(node.unmountFails(WEB).code()).isEqualTo(OperatorCode.UNSTAGE_IN_DOUBT);
      node.kernel().host().detach(node.stagingPath(VOLUME));
      assertThat(node.engine().mayDetach(identity(VOLUME))).as("nothing is mounted").isFalse();

      node.plugin().clearFaults();
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);

      assertThat(node.calls()).endsWith("Unstage:OK");
      assertThat(isKnown(node)).isFalse();
      assertThat(explained(node)).contains("this node has no record of it");
      assertThat(node.engine().mayDetach(identity(VOLUME))).isTrue();
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.UNKNOWN);
    }
  }

  @Test
  void aVolumeThatNobodyKnowsMayNotBeDetachedWhileSomethingIsMountedForIt() {
    try (Node node = Node.open()) {
      VolumeId stranger = VolumeId.of("vol-9");
      MountPath staging = node.stagingPath(stranger);
      assertThat(node.engine().mayDetach(identity(stranger))).isTrue();
      node.kernel().host().directory(staging);
      node.kernel().host().tmpfs(staging);

      assertThat(node.engine().mayDetach(identity(stranger))).isFalse();

      node.kernel().host().detach(staging);
      assertThat(node.engine().mayDetach(identity(stranger))).isTrue();
      node.kernel().host().remove(staging);
      node.kernel().host().remove(node.layout().volume(identity(stranger)));
    }
  }

  @Test
  void afterAStartItIsKnownByItsNamesStill() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin().inject(FAILING, When.calling(NODE_UNSTAGE_VOLUME));
      assertThat(node.unmountFails(WEB).code()).isEqualTo(OperatorCode.UNSTAGE_IN_DOUBT);

      node.restart();

      assertThat(explained(node)).contains("perhaps staged");
      assertThat(isKnown(node)).isTrue();
      assertThat(node.status(VOLUME).map(VolumeStatus::leaving).orElseThrow()).containsExactly(WEB);
      assertThat(node.unmountFails(WEB).code()).isEqualTo(OperatorCode.UNSTAGE_IN_DOUBT);
      node.plugin().clearFaults();
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.UNKNOWN);
    }
  }

  @Test
  void afterAStartANameLeadsToTheVolumeThatHasItNow() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      VolumeId other = node.volume("vol-2");
      node.mount(single("vol-1", "web"));
      node.plugin().inject(FAILING, When.calling(NODE_UNSTAGE_VOLUME).ofVolume(VOLUME));
      assertThat(node.unmountFails(WEB).outcome()).isEqualTo(IN_PROGRESS);
      node.mount(Node.request(Node.PLUGIN, WEB, other, AccessMode.SINGLE_NODE_WRITER).build());

      node.restart();

      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.calls(other)).endsWith("Unstage:OK");
      node.plugin().clearFaults();
      node.reconcile();
      node.becomesClean();
    }
  }

  @Test
  void whoAsksAgainSharesWhatIsJustBeingDone() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin().inject(FAILING, When.calling(NODE_UNSTAGE_VOLUME).times(3));
      assertThat(node.unmountFails(WEB).outcome()).isEqualTo(IN_PROGRESS);
      node.plugin().inject(Fault.hang(), When.calling(NODE_UNSTAGE_VOLUME).once());
      node.inTheEnd("the background asks", () -> node.calls().contains("Unstage:open"));

      CompletableFuture<UnmountOutcome> again = node.engine().unmount(WEB);
      node.plugin().release();

      assertThat(node.get(again)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void itsNameMayBeGivenToAnotherVolumeMeanwhile() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      VolumeId other = node.volume("vol-2");
      node.mount(single("vol-1", "web"));
      node.plugin().inject(FAILING, When.calling(NODE_UNSTAGE_VOLUME).ofVolume(VOLUME));
      assertThat(node.unmountFails(WEB).outcome()).isEqualTo(IN_PROGRESS);

      node.mount(Node.request(Node.PLUGIN, WEB, other, AccessMode.SINGLE_NODE_WRITER).build());

      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.calls(other)).endsWith("Unstage:OK");
      node.plugin().clearFaults();
      node.becomesClean();
    }
  }

  @Test
  void aMountThatFailsAndCannotBeUndoneSaysBoth() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin()
          .inject(
              Fault.fail(StatusCode.INVALID_ARGUMENT, "no such mode"),
              When.calling(NODE_PUBLISH_VOLUME));
      node.plugin().inject(FAILING, When.calling(NODE_UNSTAGE_VOLUME));

      VolumeException failure = node.mountFails(single("vol-1", "web"));

      assertThat(failure.outcome()).isEqualTo(IN_PROGRESS);
      assertThat(failure.code()).isEqualTo(OperatorCode.REFUSED_BY_PLUGIN);
      assertThat(failure.getSuppressed())
          .singleElement()
          .isInstanceOfSatisfying(
              VolumeException.class,
              second -> {
                assertThat(second.code()).isEqualTo(OperatorCode.UNSTAGE_IN_DOUBT);
                assertThat(second.getMessage())
                    .contains("undoing the mount of", "the device is busy");
              });
      assertThat(isKnown(node)).isTrue();
      assertThat(explained(node)).contains("perhaps staged");
      assertThat(node.unmountFails(WEB).code()).isEqualTo(OperatorCode.UNSTAGE_IN_DOUBT);
      node.plugin().clearFaults();
      node.becomesClean();
    }
  }

  @Test
  void aMountWhoseUnpublishFailsTooSaysBoth() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin()
          .inject(
              Fault.fail(StatusCode.INVALID_ARGUMENT, "no such mode"),
              When.calling(NODE_PUBLISH_VOLUME));
      node.plugin().inject(FAILING, When.calling(NODE_UNPUBLISH_VOLUME));

      VolumeException failure = node.mountFails(single("vol-1", "web"));

      assertThat(failure.getSuppressed())
          .singleElement()
          .isInstanceOfSatisfying(
              VolumeException.class,
              second -> assertThat(second.code()).isEqualTo(OperatorCode.UNPUBLISH_IN_DOUBT));
      node.plugin().clearFaults();
      node.becomesClean();
    }
  }
}
