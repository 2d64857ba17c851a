package io.csi4j.volume.functional;

import static io.csi4j.volume.functional.Node.shared;
import static io.csi4j.volume.functional.Node.single;
import static io.csi4j.volume.functional.Node.usage;
import static io.csi4j.volume.model.VolumeException.Outcome.IN_PROGRESS;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.UnmountOutcome;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Another program mounted the device of a volume to be unstaged. */
class MountedElsewhereTest {

  private static final VolumeId VOLUME = VolumeId.of("vol-1");
  private static final VolumeUse WEB = usage("vol-1", "web");
  private static final MountPath BACKUP = MountPath.of("/mnt/backup");

  /** A program of the host mounts what is at a path at another one, too. */
  private static void mountedToo(Node node, MountPath from, MountPath at) {
    node.kernel().host().bind(from, node.kernel().host().directory(at));
  }

  private static void mounted(Node node) {
    node.volume("vol-1");
    node.mount(single("vol-1", "web"));
  }

  /** The release of the last use is refused, and names this path. */
  private static void isRefused(Node node, MountPath path) {
    VolumeException failure = node.unmountFails(WEB);
    assertThat(failure.code()).isEqualTo(OperatorCode.MOUNTED_ELSEWHERE);
    assertThat(failure.outcome()).isEqualTo(IN_PROGRESS);
    assertThat(failure)
        .hasMessageContaining("is mounted by another program at '" + path + "'")
        .hasMessageContaining("unstageMountedElsewhere(true)");
    assertThat(node.verbs(VOLUME)).doesNotContain("Unstage");
    assertThat(node.staging(VOLUME)).isEqualTo(PathStatus.IN_DOUBT);
    assertThat(node.mounted(node.stagingPath(VOLUME))).isTrue();
  }

  @Test
  void keepsItFromBeingUnstagedUntilTheOtherMountIsGone() {
    try (Node node = Node.open()) {
      mounted(node);
      mountedToo(node, node.stagingPath(VOLUME), BACKUP);

      isRefused(node, BACKUP);
      node.skip(Duration.ofMinutes(10));
      assertThat(node.verbs(VOLUME)).doesNotContain("Unstage");
      node.kernel().host().detach(BACKUP);
      node.becomesClean();

      assertThat(node.calls()).endsWith("Unstage:OK");
    }
  }

  @Test
  void isTriedAgainAtOnceWhenItIsAskedForAgain() {
    try (Node node = Node.open()) {
      mounted(node);
      mountedToo(node, node.targetPath("vol-1", "web"), BACKUP);
      isRefused(node, BACKUP);
      node.kernel().host().detach(BACKUP);

      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void isFoundInADirectoryOfTheVolumeToo() {
    try (Node node = Node.open()) {
      mounted(node);
      MountPath inside = node.targetPath("vol-1", "web").resolve("data");
      mountedToo(node, node.kernel().host().directory(inside), BACKUP);

      isRefused(node, BACKUP);

      node.kernel().host().detach(BACKUP);
      node.becomesClean();
    }
  }

  @Test
  void doesNotKeepTheVolumeFromAWorkloadThatComesMeanwhile() {
    try (Node node = Node.open()) {
      mounted(node);
      mountedToo(node, node.stagingPath(VOLUME), BACKUP);
      isRefused(node, BACKUP);

      node.mount(single("vol-1", "web"));

      isRefused(node, BACKUP);
      node.kernel().host().detach(BACKUP);
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void doesNotKeepTheVolumeFromAWorkloadThatComesAfterARestart() {
    try (Node node = Node.open()) {
      mounted(node);
      mountedToo(node, node.stagingPath(VOLUME), BACKUP);
      isRefused(node, BACKUP);
      node.restart();

      node.mount(single("vol-1", "web"));

      isRefused(node, BACKUP);
      node.kernel().host().detach(BACKUP);
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void isAskedForAtTheLastUseOnly() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "web"));
      node.mount(shared("vol-1", "db"));
      mountedToo(node, node.stagingPath(VOLUME), BACKUP);

      assertThat(node.unmount(usage("vol-1", "db"))).isEqualTo(UnmountOutcome.NOT_LAST);
      isRefused(node, BACKUP);

      node.kernel().host().detach(BACKUP);
      node.becomesClean();
    }
  }

  @Test
  void isFoundAgainAfterARestart() {
    try (Node node = Node.open()) {
      mounted(node);
      mountedToo(node, node.stagingPath(VOLUME), BACKUP);
      isRefused(node, BACKUP);
      node.restart();

      node.settleFound();
      node.skip(Duration.ofMinutes(10));
      assertThat(node.verbs(VOLUME)).doesNotContain("Unstage");
      node.kernel().host().detach(BACKUP);
      node.becomesClean();
    }
  }

  @Test
  void isOfNoAccountWhereThePolicySaysSoAlsoForWhatIsOwedAlready() {
    try (Node node = Node.open()) {
      mounted(node);
      mountedToo(node, node.stagingPath(VOLUME), BACKUP);
      isRefused(node, BACKUP);

      node.registerAgain(Node.QUICK.toBuilder().unstageMountedElsewhere(true).build());
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);

      node.kernel().host().detach(BACKUP);
    }
  }

  /** A plugin that keeps a mount of its own, and stages with a bind of it. */
  @Test
  void isNoneThatIsOlderThanTheStaging() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      MountPath own = MountPath.of("/var/lib/plugin/vol-1");
      NodeEffects honest = node.effects().honest();
      node.effects()
          .whenStaging(
              (volume, staging) -> {
                MountPath at = MountPath.of(staging.value());
                honest.stage(volume, staging);
                node.kernel().host().bind(at, node.kernel().host().directory(own));
                node.kernel().host().detach(at);
                node.kernel().host().bind(own, at);
              });
      node.mount(single("vol-1", "web"));

      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);

      node.kernel().host().detach(own);
    }
  }

  @Test
  void isNoneOfAnotherFilesystemOrOfADirectoryOfTheHost() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.effects()
          .whenStaging(
              (volume, staging) ->
                  node.kernel()
                      .host()
                      .bind(
                          node.kernel().host().directory(MountPath.of("/var/lib/disks/vol-1")),
                          MountPath.of(staging.value())));
      node.mount(single("vol-1", "web"));
      mountedToo(node, MountPath.of("/var/lib/disks/vol-1"), BACKUP);

      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);

      node.kernel().host().detach(BACKUP);
    }
  }
}
