package io.csi4j.volume.functional;

import static io.csi4j.volume.functional.Node.eventually;
import static io.csi4j.volume.functional.Node.usage;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.WantedUse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A plugin does not find a volume: the control plane is asked whether the volume exists. */
class VolumeNotFoundTest {

  private static final VolumeId VOLUME = VolumeId.of("vol-1");
  private static final VolumeUse WEB = usage("vol-1", "web");
  private static final VolumeVerdict PRESENT = new VolumeVerdict.Present();
  private static final VolumeVerdict GONE =
      new VolumeVerdict.Gone(
          Messages.of(
              OperatorCode.VOLUME_GONE, Subject.of("looking for it"), "it was deleted there"));

  private final ScriptedClaims claims = new ScriptedClaims();

  private Node open() {
    return Node.builder().claims(claims).open();
  }

  private static MountRequest claimed() {
    return Node.request("vol-1", "web", AccessMode.MULTI_NODE_MULTI_WRITER)
        .claim(Node.grant(WEB, 7))
        .build();
  }

  private static VolumeException isHeld(VolumeException failure) {
    assertThat(failure.code()).isEqualTo(OperatorCode.VOLUME_GONE);
    assertThat(failure.outcome()).isEqualTo(Outcome.HELD);
    return failure;
  }

  private static List<String> stagings(Node node) {
    return node.calls(VOLUME).stream().filter(call -> call.startsWith("Stage")).toList();
  }

  @Test
  void aVolumeThatIsGoneIsNotTriedAgainAndLeavesNothing() {
    try (Node node = open()) {
      claims.is(WEB, GONE);

      VolumeException failure = isHeld(node.mountFails(claimed()));

      assertThat(failure)
          .hasMessageContaining(
              "NodeStageVolume did not find it, and the control plane reports: it was deleted "
                  + "there");
      assertThat(claims.questions()).containsExactly("web@7", "web@7?");
      assertThat(stagings(node)).containsExactly("Stage:NOT_FOUND");
      assertThat(node.isClean()).isTrue();
    }
  }

  @Test
  void aVolumeThatExistsIsTriedAgainAndAskedAboutOnce() {
    try (Node node = open()) {
      VolumeException failure = node.mountFails(claimed());

      assertThat(failure.code()).isEqualTo(OperatorCode.REFUSED_BY_PLUGIN);
      assertThat(failure.outcome()).isEqualTo(Outcome.REFUSED);
      assertThat(claims.questions()).containsExactly("web@7", "web@7?", "web@7", "web@7");
      assertThat(stagings(node)).hasSize(3).containsOnly("Stage:NOT_FOUND");
    }
  }

  @Test
  void aVerdictThatNeverComesIsNone() {
    try (Node node = open()) {
      claims.isSilentAboutVolumes();
      CompletableFuture<MountedVolume> waiting = node.engine().mount(claimed());
      eventually("it was asked", () -> claims.questions().contains("web@7?"));
      assertThat(node.engine().explain("vol-1", WEB::equals).toString())
          .contains("asking whether the volume exists");
      assertThat(waiting).isNotDone();
      node.volume("vol-1");

      node.skip(ScriptedClaims.PATIENCE);

      assertThat(node.get(waiting).usage()).isEqualTo(WEB);
      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.PRESENT);
      assertThat(stagings(node)).containsExactly("Stage:NOT_FOUND", "Stage:OK");
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void aReleaseDoesNotWaitForTheVerdict() {
    try (Node node = open()) {
      claims.isSilentAboutVolumes();
      CompletableFuture<MountedVolume> waiting = node.engine().mount(claimed());
      eventually("it was asked", () -> claims.questions().contains("web@7?"));

      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);

      assertThat(node.fails(waiting).code()).isEqualTo(OperatorCode.SUPERSEDED);
      assertThat(stagings(node)).containsExactly("Stage:NOT_FOUND");
    }
  }

  @Test
  void aWantedVolumeThatIsGoneIsMountedAgainOnlyWhenTheHostAsksForIt() {
    try (Node node = open()) {
      claims.is(WEB, GONE);
      assertThat(node.reconcile(new WantedUse.Requested(claimed())).failed()).isEqualTo(1);
      int before = stagings(node).size();
      node.volume("vol-1");
      claims.is(WEB, PRESENT);

      node.skip(Duration.ofHours(3));

      assertThat(stagings(node)).hasSize(before).containsOnly("Stage:NOT_FOUND");
      assertThat(node.mount(claimed()).usage()).isEqualTo(WEB);
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void aWantedVolumeThatExistsIsMountedOnceThePluginFindsIt() {
    try (Node node = open()) {
      assertThat(node.reconcile(new WantedUse.Requested(claimed())).failed()).isEqualTo(1);
      node.volume("vol-1");

      node.inTheEnd(
          "it is mounted",
          () ->
              node.status(VOLUME).isPresent() && node.target(VOLUME, "web") == PathStatus.PRESENT);
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }
}
