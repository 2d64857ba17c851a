package io.csi4j.volume.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.mount.MountTable;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.real.Eventually;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.hostpath.HostPathPlugin;
import io.csi4j.testkit.model.Quirk;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.node.WantedUse;
import java.io.Writer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The main way through everything, with real mounts. */
@MountTest
class FirstMountTest {

  private static final PluginId PLUGIN = PluginId.of("hostpath");

  @TempDir private Path temp;

  @Test
  void aVolumeIsMountedAdoptedSharedAndGivenUp() throws Exception {
    try (HostPathPlugin plugin = HostPathPlugin.builder(temp.resolve("data")).open();
        CsiPlugin client = CsiPlugin.connect(plugin.endpoint())) {
      Volume volume = created(client);
      VolumeUse web = VolumeUse.of(VolumeKey.of("db-1"), WorkloadId.of("web"));
      VolumeUse job = VolumeUse.of(VolumeKey.of("db-1"), WorkloadId.of("job"));
      Path path;
      try (VolumeManager manager = manager(plugin)) {
        MountedVolume mounted = manager.mount(request(web, volume));
        path = mounted.path();
        Files.writeString(path.resolve("hello"), "there");
        assertThat(manager.hasMount(web)).isTrue();
      }
      try (VolumeManager manager = manager(plugin)) {
        assertThat(manager.recovered().adopted()).containsExactly(web);
        assertThat(
                manager
                    .reconcile(List.of(new WantedUse.Named(web)))
                    .done()
                    .toCompletableFuture()
                    .join()
                    .failed())
            .isZero();
        assertThat(manager.mount(request(web, volume)).path()).isEqualTo(path);
        MountedVolume second = manager.mount(request(job, volume));
        assertThat(second.path().resolve("hello")).hasContent("there");
        assertThat(manager.unmount(web)).isEqualTo(UnmountOutcome.NOT_LAST);
        assertThat(manager.unmount(web)).isEqualTo(UnmountOutcome.UNKNOWN);
        assertThat(second.path().resolve("hello")).hasContent("there");
        assertThat(manager.unmount(job)).isEqualTo(UnmountOutcome.LAST);
        assertThat(manager.volumes()).isEmpty();
        assertThat(temp.resolve("root/v")).isEmptyDirectory();
      }
      plugin.assertLawful();
    }
  }

  @Test
  void aMountThatAnotherProgramMakesOverItIsReportedAndShown(Scratch scratch) throws Exception {
    List<VolumeEvent> events = new CopyOnWriteArrayList<>();
    try (HostPathPlugin plugin = HostPathPlugin.builder(temp.resolve("data")).open();
        CsiPlugin client = CsiPlugin.connect(plugin.endpoint());
        VolumeManager manager =
            VolumeManager.builder(temp.resolve("root"))
                .plugin(PluginBinding.of(PLUGIN, plugin.endpoint()))
                .listener(events::add)
                .open()) {
      VolumeUse web = VolumeUse.of(VolumeKey.of("db-1"), WorkloadId.of("web"));
      Path path = manager.mount(request(web, created(client))).path();
      scratch.rawMount("tmpfs", path, "tmpfs", 0, null);

      Eventually.isTrue(
          "it is reported",
          () ->
              events.stream()
                  .anyMatch(
                      event ->
                          event instanceof VolumeEvent.Noticed noticed
                              && noticed.message().code() == OperatorCode.FOREIGN_MOUNT));
      assertThat(manager.hasMount(web)).isFalse();
      assertThat(manager.status(web.volume()).get(0).uses())
          .extracting(VolumeStatus.Use::status)
          .containsExactly(PathStatus.IN_DOUBT);
      assertThat(manager.explain(web.volume()).toString())
          .contains("FOREIGN_MOUNT", "tmpfs from tmpfs");
      assertThat(scratch.rawUnmount(MountPath.of(path), 0)).isZero();
      Eventually.isTrue("it is seen again", () -> manager.hasMount(web) && isPresent(manager, web));
      assertThat(manager.unmount(web)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  private static boolean isPresent(VolumeManager manager, VolumeUse use) {
    return manager.status(use.volume()).get(0).uses().get(0).status() == PathStatus.PRESENT;
  }

  @Test
  void oneWorkloadWritesAVolumeAndAnotherReadsItOnly() throws Exception {
    try (HostPathPlugin plugin = HostPathPlugin.builder(temp.resolve("data")).open();
        CsiPlugin client = CsiPlugin.connect(plugin.endpoint());
        VolumeManager manager = manager(plugin)) {
      Volume volume = created(client);
      VolumeUse writer = VolumeUse.of(VolumeKey.of("db-1"), WorkloadId.of("writer"));
      VolumeUse reader = VolumeUse.of(VolumeKey.of("db-1"), WorkloadId.of("reader"));
      MountedVolume written = manager.mount(request(writer, volume));
      MountedVolume read =
          manager.mount(request(reader, volume).toBuilder().readOnly(true).build());

      Files.writeString(written.path().resolve("hello"), "there");

      assertThat(read.path().resolve("hello")).hasContent("there");
      assertThatThrownBy(() -> Files.writeString(read.path().resolve("hello"), "mine"))
          .isInstanceOf(FileSystemException.class)
          .hasMessageContaining("Read-only file system");
      assertThat(manager.unmount(writer)).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(manager.unmount(reader)).isEqualTo(UnmountOutcome.LAST);
      plugin.assertLawful();
    }
  }

  @Test
  void anInlineVolumeIsThereForItsWorkloadAloneAndGoesWithIt() throws Exception {
    try (HostPathPlugin plugin =
        HostPathPlugin.builder(temp.resolve("data"))
            .shape(HostPathPlugin.defaultShape().with(Quirk.INLINE_VOLUMES_TAKEN))
            .open()) {
      VolumeUse web = VolumeUse.of(VolumeKey.of("cache"), WorkloadId.of("web"));
      MountRequest request =
          MountRequest.inline(PLUGIN, web, AccessMode.SINGLE_NODE_WRITER).build();
      Path path;
      try (VolumeManager manager = manager(plugin)) {
        path = manager.mount(request).path();
        Files.writeString(path.resolve("hello"), "there");
        assertThat(MountTable.system().find(MountPath.of(path))).isPresent();
      }
      try (VolumeManager manager = manager(plugin)) {
        assertThat(manager.recovered().adopted()).containsExactly(web);
        assertThat(
                manager
                    .reconcile(List.of(new WantedUse.Requested(request)))
                    .done()
                    .toCompletableFuture()
                    .join()
                    .failed())
            .isZero();
        assertThat(manager.mount(request).path()).isEqualTo(path);
        assertThat(path.resolve("hello")).hasContent("there");
        assertThat(manager.unmount(web)).isEqualTo(UnmountOutcome.LAST);
        assertThat(MountTable.system().find(MountPath.of(path))).isEmpty();
        assertThat(temp.resolve("root/v")).isEmptyDirectory();
      }
      assertThat(plugin.contents().volumes()).isEmpty();
      assertThat(plugin.journal().calls(CsiOperation.NODE_STAGE_VOLUME)).isEmpty();
      assertThat(plugin.journal().calls(CsiOperation.NODE_UNSTAGE_VOLUME)).isEmpty();
      plugin.assertLawful();
    }
  }

  @Test
  void aRefreshKeepsTheMountAndTheFilesThatAreOpenOnIt() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    try (HostPathPlugin plugin = HostPathPlugin.builder(temp.resolve("data")).open();
        CsiPlugin client = CsiPlugin.connect(plugin.endpoint());
        VolumeManager manager = manager(plugin)) {
      Volume volume = created(client);
      VolumeUse web = VolumeUse.of(VolumeKey.of("db-1"), WorkloadId.of("web"));
      MountRequest request =
          request(web, volume).toBuilder()
              .secrets(
                  operation -> Secrets.of(Map.of("token", String.valueOf(asked.incrementAndGet()))))
              .build();
      MountedVolume mounted = manager.mount(request);
      int before = asked.get();
      MountRef ref = MountTable.system().find(MountPath.of(mounted.path())).orElseThrow().ref();
      try (Writer log = Files.newBufferedWriter(mounted.path().resolve("log"))) {
        log.write("first ");

        assertThat(manager.refresh(request)).isEqualTo(mounted);

        log.write("second ");
        plugin.inject(
            Fault.fail(StatusCode.ALREADY_EXISTS, "it is published"),
            When.calling(CsiOperation.NODE_PUBLISH_VOLUME).once());
        assertThatThrownBy(() -> manager.refresh(request))
            .isInstanceOfSatisfying(
                VolumeException.class,
                failure -> assertThat(failure.code()).isEqualTo(OperatorCode.REFRESH_REFUSED));
        log.write("third");
      }

      assertThat(asked).as("secrets are asked for with each call").hasValue(before + 2);
      assertThat(mounted.path().resolve("log")).hasContent("first second third");
      assertThat(MountTable.system().find(MountPath.of(mounted.path())).orElseThrow().ref())
          .as("the same mount")
          .isEqualTo(ref);
      assertThat(manager.unmount(web)).isEqualTo(UnmountOutcome.LAST);
      plugin.assertLawful();
    }
  }

  private VolumeManager manager(HostPathPlugin plugin) {
    return VolumeManager.builder(temp.resolve("root"))
        .plugin(PluginBinding.of(PLUGIN, plugin.nodeEndpoint()))
        .open();
  }

  private static Volume created(CsiPlugin client) {
    return client
        .controller()
        .createVolume(
            CreateVolumeRequest.builder(
                    "v1", List.of(VolumeCapability.mount(AccessMode.MULTI_NODE_MULTI_WRITER)))
                .capacityRange(CapacityRange.atLeast(1 << 20))
                .build());
  }

  private static MountRequest request(VolumeUse usage, Volume volume) {
    return MountRequest.builder(PLUGIN, usage, volume.id(), AccessMode.MULTI_NODE_MULTI_WRITER)
        .volumeContext(volume.context())
        .build();
  }
}
