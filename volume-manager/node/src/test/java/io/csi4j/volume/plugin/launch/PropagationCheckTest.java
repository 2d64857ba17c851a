package io.csi4j.volume.plugin.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PluginPath;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.Propagation;
import io.csi4j.mount.real.Eventually;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Neighbour;
import io.csi4j.mount.real.Scratch;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.launch.PropagationCheck.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whether a plugin's mounts reach the manager, in real namespaces. */
@MountTest
@Tag("B-04")
class PropagationCheckTest {

  private static PluginConfig config(Scratch scratch, MountPath root) {
    return PluginConfig.builder("disk.csi", scratch.file("csi")).volumeRoot(root.toPath()).build();
  }

  private static PluginConfig seenAt(Scratch scratch, MountPath root, MountPath seen) {
    return PluginConfig.builder("disk.csi", scratch.file("csi"))
        .volumeRoot(root.toPath())
        .seesVolumeRootAt(PluginPath.of(seen.toString()))
        .build();
  }

  /** A directory in a mount of its own, with this propagation. */
  private static MountPath root(Scratch scratch, Propagation propagation) {
    MountPath mount = scratch.tmpfs("data");
    Mounts.system().setPropagation(mount, propagation, false);
    return scratch.directory("data/volumes");
  }

  /**
   * Whether a mount that the plugin makes below the root appears here: what the check foretells.
   */
  private static boolean appears(
      Scratch scratch, Neighbour plugin, MountPath root, MountPath seen) {
    assertThat(plugin.run("mkdir " + seen + "/v && mount -t tmpfs v " + seen + "/v && echo done"))
        .containsExactly("done");
    return !scratch.rows(root.resolve("v")).isEmpty();
  }

  private static String line(PropagationCheck check) {
    return check.message().orElseThrow().line();
  }

  // ---- the host alone

  @Test
  void aSharedMountOfTheHostIsGood(Scratch scratch) {
    PropagationCheck check =
        PropagationCheck.host(config(scratch, root(scratch, Propagation.BIDIRECTIONAL)));

    assertThat(check.verdict()).isEqualTo(Verdict.SHARED);
    assertThat(check.isGood()).isTrue();
    assertThat(check.seen().value())
        .matches("the mount at " + scratch.path("data") + " is shared:\\d+");
  }

  @Test
  void aPrivateMountOfTheHostIsToldWithTheCommandThatMendsIt(Scratch scratch) {
    MountPath root = root(scratch, Propagation.PRIVATE);

    PropagationCheck check = PropagationCheck.host(config(scratch, root));

    assertThat(check.verdict()).isEqualTo(Verdict.NOT_SHARED);
    assertThat(line(check))
        .isEqualTo(
            "CSI-418 ROOT_NOT_SHARED: checking whether mounts of plugin 'disk.csi' can be seen at "
                + root
                + ": the mount at "
                + scratch.path("data")
                + ", which contains it, is private, so what a plugin mounts in a container never"
                + " appears here; nothing was mounted. Run 'mount --make-rshared "
                + scratch.path("data")
                + "' on the host, then restart the plugin.");
  }

  @Test
  void theCommandThatIsToldMendsIt(Scratch scratch) {
    PluginConfig config = config(scratch, root(scratch, Propagation.PRIVATE));
    String next = PropagationCheck.host(config).message().orElseThrow().next().text();

    try (Neighbour shell = Neighbour.here()) {
      shell.run(next.replaceAll("^Run '(.*)' on the host.*", "$1"));
    }

    assertThat(PropagationCheck.host(config).verdict()).isEqualTo(Verdict.SHARED);
  }

  @Test
  void aPathWithBlanksIsQuotedForTheShell(Scratch scratch) {
    MountPath mount = scratch.tmpfs("my data");
    PluginConfig config = config(scratch, mount);

    String next = PropagationCheck.host(config).message().orElseThrow().next().text();
    assertThat(next).contains("mount --make-rshared '" + mount + "'");
  }

  @Test
  void aDirectoryThatIsNotMadeYetIsCheckedByTheMountThatWillHoldIt(Scratch scratch) {
    MountPath root = root(scratch, Propagation.BIDIRECTIONAL);

    assertThat(PropagationCheck.host(config(scratch, root.resolve("later"))).verdict())
        .isEqualTo(Verdict.SHARED);
  }

  @Test
  void aPluginThatMountsNothingNeedsNothing(Scratch scratch) {
    PluginConfig controller =
        PluginConfig.builder("disk.csi", scratch.file("csi"))
            .roles(Set.of(PluginRole.CONTROLLER))
            .build();

    PropagationCheck check = PropagationCheck.host(controller);
    assertThat(check.verdict()).isEqualTo(Verdict.NOT_NEEDED);
    assertThat(check.isGood()).isTrue();
  }

  @Test
  @Tag("H15")
  void whoRegistersAPluginInAContainerIsToldAndWhoRegistersOneOnTheHostIsNot(Scratch scratch) {
    MountPath root = root(scratch, Propagation.PRIVATE);
    CsiEndpoint endpoint = CsiEndpoint.of(scratch.file("csi/csi.sock"));
    PluginId id = PluginId.of("disk.csi");
    List<OperatorMessage> heard = new ArrayList<>();
    try (VolumeManager manager = VolumeManager.open(root.toPath())) {
      heard.addAll(
          manager.register(
              PluginBinding.builder(id, endpoint).seesRootAt(PluginPath.of("/csi")).build()));
      assertThat(heard)
          .as("H15: a root that does not share its mounts is told")
          .extracting(OperatorMessage::code)
          .containsExactly(OperatorCode.ROOT_NOT_SHARED);
      assertThat(heard.get(0).next())
          .hasToString(
              "Run 'mount --make-rshared "
                  + scratch.path("data")
                  + "' on the host, then restart the plugin");

      assertThat(manager.register(PluginBinding.of(id, endpoint))).isEmpty();
      Mounts.system().setPropagation(scratch.path("data"), Propagation.BIDIRECTIONAL, false);
      assertThat(
              manager.register(
                  PluginBinding.builder(id, endpoint).seesRootAt(PluginPath.of("/csi")).build()))
          .isEmpty();
    }
  }

  @Test
  void aListenerIsToldWhenAnInstanceInAContainerComes(Scratch scratch) {
    MountPath root = root(scratch, Propagation.PRIVATE);
    Queue<VolumeEvent> events = new ConcurrentLinkedQueue<>();
    try (VolumeManager manager =
        VolumeManager.builder(root.toPath()).listener(events::add).open()) {
      var unused =
          manager
              .plugins()
              .register(
                  seenAt(scratch, root, MountPath.of("/csi")).registration(InstanceId.of("1")));

      Eventually.isTrue(
          "it was told",
          () ->
              events.stream()
                  .anyMatch(
                      event ->
                          event instanceof VolumeEvent.Noticed told
                              && told.message().code() == OperatorCode.ROOT_NOT_SHARED));
    }
  }

  // ---- a plugin that runs

  @Test
  void aPluginOnTheHostNeedsNothingWhateverThePropagation(Scratch scratch) {
    MountPath root = root(scratch, Propagation.PRIVATE);
    try (Neighbour plugin = Neighbour.here()) {
      PropagationCheck check = PropagationCheck.plugin(config(scratch, root), plugin.pid());

      assertThat(check.verdict()).isEqualTo(Verdict.SAME_MOUNT);
      assertThat(check.isGood()).isTrue();
      assertThat(appears(scratch, plugin, root, root)).isTrue();
    }
  }

  @Test
  void aPluginThatSharesIsGood(Scratch scratch) {
    MountPath root = root(scratch, Propagation.BIDIRECTIONAL);
    try (Neighbour plugin = Neighbour.elsewhere("unchanged")) {
      assertThat(PropagationCheck.plugin(config(scratch, root), plugin.pid()).verdict())
          .isEqualTo(Verdict.SHARED);
      assertThat(appears(scratch, plugin, root, root)).isTrue();
    }
  }

  @Test
  void aPluginThatSeesItAtAnotherPathIsGoodToo(Scratch scratch) {
    MountPath root = root(scratch, Propagation.BIDIRECTIONAL);
    MountPath seen = scratch.directory("csi-data");
    try (Neighbour plugin = Neighbour.elsewhere("unchanged")) {
      plugin.run("mount --bind " + root + " " + seen);

      assertThat(PropagationCheck.plugin(seenAt(scratch, root, seen), plugin.pid()).verdict())
          .isEqualTo(Verdict.SHARED);
      assertThat(appears(scratch, plugin, root, seen)).isTrue();
    }
  }

  @Test
  void aPluginThatOnlyReceivesIsToldHowToStartIt(Scratch scratch) {
    MountPath root = root(scratch, Propagation.BIDIRECTIONAL);
    try (Neighbour plugin = Neighbour.elsewhere("slave")) {
      PropagationCheck check = PropagationCheck.plugin(config(scratch, root), plugin.pid());

      assertThat(check.verdict()).isEqualTo(Verdict.NOT_SHARED_BY_PLUGIN);
      assertThat(line(check).replaceAll("\\d+(?=,| of the plugin)", "N"))
          .isEqualTo(
              "CSI-418 ROOT_NOT_SHARED: checking whether mounts of plugin 'disk.csi' can be seen at"
                  + " "
                  + root
                  + ": the process N of the plugin has the directory in a mount"
                  + " that is master:N, and the manager's mount is shared:N, so its"
                  + " mounts never appear here; nothing was mounted. Restart the"
                  + " plugin with the directory bound correctly: -v "
                  + root
                  + ":"
                  + root
                  + ":rshared.");
      assertThat(appears(scratch, plugin, root, root)).isFalse();
    }
  }

  @Test
  void aPluginThatSharesWithNobodyIsToldToo(Scratch scratch) {
    MountPath root = root(scratch, Propagation.BIDIRECTIONAL);
    try (Neighbour plugin = Neighbour.elsewhere("private")) {
      PropagationCheck check = PropagationCheck.plugin(config(scratch, root), plugin.pid());

      assertThat(check.verdict()).isEqualTo(Verdict.NOT_SHARED_BY_PLUGIN);
      assertThat(check.seen().value())
          .contains("in a mount that is private, and the manager's" + " mount is");
      assertThat(appears(scratch, plugin, root, root)).isFalse();
    }
  }

  @Test
  void ofAPrivateHostTheCommandForTheHostIsTold(Scratch scratch) {
    MountPath root = root(scratch, Propagation.PRIVATE);
    try (Neighbour plugin = Neighbour.elsewhere("unchanged")) {
      PropagationCheck check = PropagationCheck.plugin(config(scratch, root), plugin.pid());

      assertThat(check.verdict()).isEqualTo(Verdict.NOT_SHARED);
      assertThat(line(check)).contains("Run 'mount --make-rshared " + scratch.path("data") + "'");
      assertThat(appears(scratch, plugin, root, root)).isFalse();
    }
  }

  @Test
  void aHostThatReceivesFromThePluginIsGoodThroughAnyNumberOfSteps(Scratch scratch) {
    MountPath top = scratch.tmpfs("top");
    Mounts.system().setPropagation(top, Propagation.BIDIRECTIONAL, false);
    MountPath between = scratch.directory("between");
    scratch.bind(top, between);
    Mounts.system().setPropagation(between, Propagation.HOST_TO_CONTAINER, false);
    Mounts.system().setPropagation(between, Propagation.BIDIRECTIONAL, false);
    MountPath root = scratch.directory("root");
    scratch.bind(between, root);
    Mounts.system().setPropagation(root, Propagation.HOST_TO_CONTAINER, false);
    try (Neighbour plugin = Neighbour.elsewhere("unchanged")) {
      assertThat(PropagationCheck.plugin(seenAt(scratch, root, top), plugin.pid()).verdict())
          .isEqualTo(Verdict.SHARED);
      assertThat(appears(scratch, plugin, root, top)).isTrue();
    }
  }

  @Test
  void anotherDirectoryAtThatPathIsTold(Scratch scratch) {
    MountPath root = root(scratch, Propagation.BIDIRECTIONAL);
    MountPath seen = scratch.directory("csi-data");
    try (Neighbour plugin = Neighbour.elsewhere("unchanged")) {
      PropagationCheck check = PropagationCheck.plugin(seenAt(scratch, root, seen), plugin.pid());

      assertThat(check.verdict()).isEqualTo(Verdict.ELSEWHERE);
      assertThat(line(check))
          .contains(
              "the process "
                  + plugin.pid()
                  + " of the plugin sees another directory at "
                  + seen
                  + " than the manager sees at "
                  + root)
          .endsWith("bound correctly: -v " + root + ":" + seen + ":rshared.");
    }
  }

  @Test
  void ofAProcessThatHasEndedNothingIsSaid(Scratch scratch) {
    MountPath root = root(scratch, Propagation.BIDIRECTIONAL);
    long gone;
    try (Neighbour plugin = Neighbour.here()) {
      gone = plugin.pid();
    }

    PropagationCheck check = PropagationCheck.plugin(config(scratch, root), gone);

    assertThat(check.verdict()).isEqualTo(Verdict.UNKNOWN);
    assertThat(check.isGood()).isTrue();
    assertThat(check.seen().value())
        .startsWith("Reading the table of mounts failed: /proc/" + gone + "/mountinfo")
        .contains("Check whether the process " + gone + " still runs");
  }
}
