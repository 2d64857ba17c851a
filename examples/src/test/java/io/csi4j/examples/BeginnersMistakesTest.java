package io.csi4j.examples;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.state.JournalSettings;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What beginners do wrong, and what they are told: what failed, why, and what to do next. */
class BeginnersMistakesTest {

  private static final PluginId PLUGIN = PluginId.of("fake.csi4j.example");
  private static final VolumeId HANDLE = VolumeId.of("vol-1");
  private static final VolumeUse WEB = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web-1"));

  @TempDir private Path temp;
  private final FakeCsiPlugin plugin = FakeCsiPlugin.open(PluginShape.nodeOnly());

  @AfterEach
  void close() {
    plugin.close();
  }

  /** A star in the message stands for a number, a moment or a directory. */
  private static void isTold(ThrowingCallable mistake, String message) {
    String pattern =
        Stream.of(message.split("\\*", -1)).map(Pattern::quote).collect(joining("[^ ]+"));
    assertThat(catchThrowable(mistake).getMessage()).matches(pattern);
  }

  private VolumeManager.Builder manager() {
    return VolumeManager.builder(temp.resolve("root"))
        .journal(JournalSettings.builder().acceptAnyFilesystem(true).build());
  }

  private PluginBinding binding() {
    return PluginBinding.builder(PLUGIN, plugin.nodeEndpoint())
        .policy(
            MountPolicy.builder()
                .requireMount(false)
                .backoff(Duration.ofMillis(1))
                .backoffCap(Duration.ofMillis(4))
                .build())
        .build();
  }

  private static MountRequest request() {
    return MountRequest.builder(PLUGIN, WEB, HANDLE, AccessMode.SINGLE_NODE_WRITER).build();
  }

  @Test
  void aPathInThePlaceOfAnEndpoint() {
    isTold(
        () -> CsiEndpoint.parse("csi.sock"),
        "The endpoint 'csi.sock' does not begin with unix://. CSI runs over UNIX domain "
            + "sockets only; write unix:///absolute/path/csi.sock.");
  }

  @Test
  void anEndpointOverTheNetwork() {
    isTold(
        () -> CsiEndpoint.parse("tcp://127.0.0.1:9000"),
        "The endpoint 'tcp://127.0.0.1:9000' does not begin with unix://. CSI runs over UNIX "
            + "domain sockets only; write unix:///absolute/path/csi.sock.");
  }

  @Test
  void aSocketThatNobodyMade() {
    ConnectOptions atOnce = ConnectOptions.builder().waitForSocket(false).build();
    isTold(
        () -> CsiPlugin.connect(CsiEndpoint.of(temp.resolve("csi.sock")), atOnce).close(),
        "Connecting to unix://*/csi.sock failed: there is no socket 'csi.sock' in the "
            + "directory '*', which exists (UNAVAILABLE). Start the plugin, or correct the path of "
            + "its socket. [unix://*/csi.sock, * *s, settled]");
  }

  @Test
  void aCallThatThePluginDoesNotOffer() {
    try (CsiPlugin client = CsiPlugin.connect(plugin.nodeEndpoint())) {
      isTold(
          () ->
              client
                  .controller()
                  .createVolume(
                      CreateVolumeRequest.builder(
                              "db", List.of(VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER)))
                          .build()),
          "Creating volume 'db' on plugin 'fake.csi4j.example' failed: CreateVolume needs the "
              + "plugin capability CONTROLLER_SERVICE, which the plugin does not offer "
              + "(UNIMPLEMENTED). Avoid this call, or use another plugin. [CreateVolume, "
              + "unix://*/csi.sock, not sent, * ms, settled]");
    }
  }

  @Test
  void aSizeThatIsNone() {
    isTold(
        () -> CapacityRange.between(2 << 20, 1 << 20),
        "The minimum size of a capacity range is above its maximum: at least 2097152, at most "
            + "1048576 bytes.");
  }

  @Test
  void aRootWhoseParentIsNotThere() {
    isTold(
        () -> VolumeManager.open(temp.resolve("a/b/root")).close(),
        "CSI-609 ROOT_NOT_USABLE: opening the manager at */a: '*/a' does not exist; nothing "
            + "was done. Make it, then open again.");
  }

  @Test
  void aSecondManagerOfOneDirectory() {
    try (VolumeManager first = manager().open()) {
      isTold(
          () -> manager().open().close(),
          "CSI-201 STATE_IN_USE: opening the manager at */root: this process has it open "
              + "already (process *), started *, epoch 1; nothing was changed. Close that "
              + "manager or end its process; never delete the lock.");
    }
  }

  @Test
  void aPluginThatWasNotRegistered() {
    try (VolumeManager manager = manager().open()) {
      isTold(
          () -> manager.mount(request()),
          "CSI-301 PLUGIN_NOT_REGISTERED: mounting volume 'vol-1' (default/db for workload "
              + "'web-1') of plugin 'fake.csi4j.example': no plugin is registered with the role "
              + "NODE; existing mounts stay; nothing was done. Register it for the named role.");
    }
  }

  @Test
  void aVolumeThatThePluginDoesNotHave() {
    try (VolumeManager manager = manager().plugin(binding()).open()) {
      isTold(
          () -> manager.mount(request()),
          "CSI-707 REFUSED_BY_PLUGIN: mounting volume 'vol-1' (default/db for workload 'web-1') of"
              + " plugin 'fake.csi4j.example' at */t: the plugin does not know the volume"
              + " (NOT_FOUND to NodeStageVolume: volume_id 'vol-1' is not known here. Check the id,"
              + " or create it first); the workload did not get the volume. Check the volume id,"
              + " and that the volume exists and can be reached.");
    }
  }

  @Test
  void oneVolumeForTwoWorkloadsThatHaveItAlone() {
    plugin.addVolume(HANDLE);
    try (VolumeManager manager = manager().plugin(binding()).open()) {
      manager.mount(request());
      VolumeUse other = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web-2"));
      isTold(
          () ->
              manager.mount(
                  MountRequest.builder(PLUGIN, other, HANDLE, AccessMode.SINGLE_NODE_SINGLE_WRITER)
                      .build()),
          "CSI-502 VOLUME_IN_USE: mounting volume 'vol-1' (default/db for workload 'web-2') of "
              + "plugin 'fake.csi4j.example': access mode SINGLE_NODE_WRITER admits one workload "
              + "(SINGLE_NODE_MULTI_WRITER and MULTI_NODE_MULTI_WRITER admit several), and the "
              + "volume is held by workload 'web-1'; the present use stays. "
              + "Release it there, or use an access mode for several workloads.");
    }
  }

  @Test
  void oneVolumeTwiceForOneWorkloadInTwoModes() {
    plugin.addVolume(HANDLE);
    try (VolumeManager manager = manager().plugin(binding()).open()) {
      manager.mount(request());
      isTold(
          () ->
              manager.mount(
                  MountRequest.builder(PLUGIN, WEB, HANDLE, AccessMode.MULTI_NODE_MULTI_WRITER)
                      .build()),
          "CSI-501 OPTIONS_DIFFER: mounting volume 'vol-1' (default/db for workload 'web-1') of "
              + "plugin 'fake.csi4j.example': it is used in another way by this workload; these "
              + "differ: access mode (it has SINGLE_NODE_WRITER, this request "
              + "MULTI_NODE_MULTI_WRITER); present uses stay. Request the same options, or release"
              + " the present uses.");
    }
  }

  @Test
  void aVolumeThatIsNotAttached() {
    try (FakeCsiPlugin attaching = FakeCsiPlugin.open(PluginShape.full())) {
      attaching.addVolume(HANDLE);
      PluginBinding binding = PluginBinding.of(PLUGIN, attaching.nodeEndpoint());
      try (VolumeManager manager = manager().plugin(binding).open()) {
        isTold(
            () -> manager.mount(request()),
            "CSI-707 REFUSED_BY_PLUGIN: mounting volume 'vol-1' (default/db for workload 'web-1') "
                + "of plugin 'fake.csi4j.example' at */t: the volume is not attached to this node, "
                + "does not support the capability, or does not support it while it is in use here "
                + "(FAILED_PRECONDITION to NodeStageVolume: Volume 'vol-1' is not attached to this "
                + "node. Call ControllerPublishVolume for it first); the workload did not get the"
                + " volume. Attach it with "
                + "ControllerPublishVolume, unpublish it here, or check the capability with "
                + "ValidateVolumeCapabilities.");
      }
    }
  }

  @Test
  void aWrongPathOfASocket() {
    CsiEndpoint wrong = CsiEndpoint.of(temp.resolve("wrong.sock"));
    try (VolumeManager manager = manager().plugin(PluginBinding.of(PLUGIN, wrong)).open()) {
      isTold(
          () -> manager.mount(request()),
          "CSI-302 PLUGIN_NOT_UP: mounting volume 'vol-1' (default/db for workload 'web-1') of "
              + "plugin 'fake.csi4j.example': there is no socket 'wrong.sock' in the directory "
              + "'*', which exists (UNAVAILABLE); existing mounts stay; no call was sent. "
              + "Check its process and socket path; releases continue, mounts need a new request.");
    }
  }

  @Test
  void aPluginThatHasEndedSinceTheMount() {
    plugin.addVolume(HANDLE);
    try (VolumeManager manager = manager().plugin(binding()).open()) {
      manager.mount(request());
      plugin.close();
      isTold(
          () -> manager.unmount(WEB),
          "CSI-302 PLUGIN_NOT_UP: unmounting volume 'vol-1' (default/db for workload 'web-1') of "
              + "plugin 'fake.csi4j.example': the call was not sent, because GetPluginInfo "
              + "failed: the plugin cannot be reached: there is no directory '*'; '*' exists "
              + "(UNAVAILABLE); existing mounts stay; no call was sent. Check its process and"
              + " socket path; releases continue, mounts need a new request.");
    }
  }

  @Test
  void aPluginThatMountsNothing() {
    plugin.addVolume(HANDLE);
    try (VolumeManager manager =
        manager().plugin(PluginBinding.of(PLUGIN, plugin.nodeEndpoint())).open()) {
      isTold(
          () -> manager.mount(request()),
          "CSI-412 MOUNT_NOT_VISIBLE: mounting volume 'vol-1' (default/db for workload 'web-1') of"
              + " plugin 'fake.csi4j.example' at */t: the plugin answered OK to "
              + "NodePublishVolume, but nothing is mounted there; no workload got it. Mount "
              + "a plugin container's"
              + " directory as rshared; for plain directories (fakes), set"
              + " MountPolicy.builder().requireMount(false).");
    }
  }

  @Test
  void aManagerThatIsClosed() {
    VolumeManager manager = manager().plugin(binding()).open();
    manager.close();
    isTold(
        () -> manager.mount(request()),
        "CSI-904 ENGINE_CLOSED: mounting volume 'vol-1' (default/db for workload 'web-1') of plugin"
            + " 'fake.csi4j.example': the manager is closed; existing mounts stay; nothing was"
            + " begun. Open a new manager, then retry.");
  }

  @Test
  void aWorkloadIdWithWhatIdsDoNotHave() {
    isTold(
        () -> WorkloadId.of("web 1\n"),
        "The workload id has a control character at 5. Leave it out.");
    isTold(() -> PluginId.of(""), "The plugin id is empty. Give the name that the host uses.");
    isTold(() -> VolumeId.of(""), "The volume id is empty. Use the id that the plugin returned.");
  }

  @Test
  void aDirectoryOfSocketsThatOthersMayWriteTo() throws IOException {
    Path open = Files.createDirectory(temp.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path socket = open.resolve("csi.sock");
    try (ServerSocketChannel listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      listening.bind(UnixDomainSocketAddress.of(socket));
      isTold(
          () -> CsiPlugin.connect(CsiEndpoint.of(socket)).close(),
          "Connecting to unix://*/csi.sock failed: every user may write to the directory '*'"
              + " (owner uid *, gid *, mode 0777) and could replace the socket"
              + " (INVALID_ARGUMENT). Remove the permission (chmod o-w), or allow unsafe"
              + " directories in the options. [unix://*/csi.sock, * *s, settled]");
    }
  }
}
