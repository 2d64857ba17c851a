package io.csi4j.testkit.internal.backend;

import static io.csi4j.testkit.internal.backend.Requests.BLOCK;
import static io.csi4j.testkit.internal.backend.Requests.SHARED;
import static io.csi4j.testkit.internal.backend.Requests.WRITER;
import static io.csi4j.testkit.internal.backend.Requests.attached;
import static io.csi4j.testkit.internal.backend.Requests.created;
import static io.csi4j.testkit.internal.backend.Requests.publish;
import static io.csi4j.testkit.internal.backend.Requests.published;
import static io.csi4j.testkit.internal.backend.Requests.stage;
import static io.csi4j.testkit.internal.backend.Requests.staging;
import static io.csi4j.testkit.internal.backend.Requests.unpublish;
import static io.csi4j.testkit.internal.backend.Requests.unstage;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.model.StatusCode;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import io.csi4j.testkit.mount.MemoryKernel;
import io.csi4j.testkit.mount.MemoryNamespace;
import io.csi4j.testkit.mount.OpenHandle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What staging and publishing do to a node. */
class NodeEffectsTest {

  private static void internal(Asking plugin, Message request, String text) {
    Refusal refusal = plugin.refusal(request);
    assertThat(refusal.code()).isEqualTo(StatusCode.INTERNAL);
    assertThat(refusal.text()).contains(text);
  }

  /** On the real filesystem. */
  @Nested
  class OnFiles {

    @TempDir Path directory;

    private final Asking plugin =
        new Asking(PluginShape.full(), new MemoryStorage(NodeEffects.files()));

    private String at(String name) {
      return directory.resolve(name).toString();
    }

    private Message staging(Volume volume, Map<String, String> context, boolean make)
        throws IOException {
      if (make) {
        Files.createDirectories(directory.resolve("staging"));
      }
      return stage(volume, context, capability).setStagingTargetPath(at("staging")).build();
    }

    private io.csi4j.client.internal.proto.VolumeCapability capability = WRITER;

    private Message target(Volume volume, Map<String, String> context, String target) {
      return publish(volume, context, capability, at(target))
          .setStagingTargetPath(at("staging"))
          .build();
    }

    @Test
    void aTargetIsMadeAndRemoved() throws IOException {
      Volume volume = created(plugin, "a");
      Map<String, String> context = attached(plugin, volume, capability);
      plugin.ask(staging(volume, context, true));
      plugin.ask(target(volume, context, "target"));
      plugin.ask(target(volume, context, "target"));
      assertThat(Path.of(at("target"))).isDirectory();

      plugin.ask(unpublish(volume, at("target")));
      plugin.ask(unpublish(volume, at("target")));
      assertThat(Path.of(at("target"))).doesNotExist();
      assertThat(Path.of(at("staging"))).isDirectory();
    }

    @Test
    void aDeviceIsAFile() throws IOException {
      capability = BLOCK;
      Volume volume = created(plugin, "a", BLOCK);
      Map<String, String> context = attached(plugin, volume, BLOCK);
      plugin.ask(staging(volume, context, true));
      plugin.ask(target(volume, context, "target"));
      plugin.ask(target(volume, context, "target"));
      assertThat(Path.of(at("target"))).isRegularFile();
      plugin.ask(unpublish(volume, at("target")));
      assertThat(Path.of(at("target"))).doesNotExist();
    }

    @Test
    void whatTheCallerHasToMakeIsMissed() throws IOException {
      Volume volume = created(plugin, "a");
      Map<String, String> context = attached(plugin, volume, capability);
      internal(plugin, staging(volume, context, false), "is not a directory");
      plugin.ask(staging(volume, context, true));
      internal(plugin, target(volume, context, "missing/target"), "the parent of the target path");
    }

    @Test
    void whatIsInTheTargetIsNotLost() throws IOException {
      Volume volume = created(plugin, "a");
      Map<String, String> context = attached(plugin, volume, capability);
      plugin.ask(staging(volume, context, true));
      plugin.ask(target(volume, context, "target"));
      Files.writeString(directory.resolve("target/data"), "precious");
      internal(plugin, unpublish(volume, at("target")), "is not empty");
      assertThat(directory.resolve("target/data")).hasContent("precious");
    }

    @Test
    void aFileWhereADirectoryIsDueIsRefused() throws IOException {
      Volume volume = created(plugin, "a");
      Map<String, String> context = attached(plugin, volume, capability);
      plugin.ask(staging(volume, context, true));
      Files.createFile(directory.resolve("target"));
      internal(plugin, target(volume, context, "target"), "is not a directory");
    }
  }

  /** In the memory of a test. */
  @Nested
  class Mounting {

    private final MemoryKernel kernel = new MemoryKernel();
    private final MemoryNamespace host = kernel.host();
    private Asking plugin = plugin(PluginShape.full());

    private Asking plugin(PluginShape shape) {
      return new Asking(shape, new MemoryStorage(NodeEffects.mountingIn(host)));
    }

    private MountPath path(String path) {
      return MountPath.of(path);
    }

    private Volume made(String name, io.csi4j.client.internal.proto.VolumeCapability use) {
      Volume volume = created(plugin, name, use);
      host.directory(path(staging(volume)));
      host.directory(path("/t"));
      return volume;
    }

    private MountRecord mounted(String at) {
      return host.table().find(path(at)).orElseThrow();
    }

    @Test
    void aVolumeIsOneFilesystemWhereverItIsSeen() {
      Volume volume = made("a", SHARED);
      Map<String, String> context = published(plugin, volume, SHARED, "/t/1");
      plugin.ask(publish(volume, context, SHARED, "/t/2").setReadonly(true).build());
      Volume other = made("b", WRITER);
      published(plugin, other, WRITER, "/t/3");

      host.file(path("/t/1/data"), "hello");
      assertThat(host.content(path("/t/2/data"))).contains("hello");
      assertThat(host.content(path(staging(volume) + "/data"))).contains("hello");
      assertThat(host.exists(path("/t/3/data"))).isFalse();
      assertThat(mounted("/t/1").device()).isEqualTo(mounted(staging(volume)).device());
      assertThat(mounted("/t/3").device()).isNotEqualTo(mounted("/t/1").device());
      assertThat(mounted("/t/1").flags()).doesNotContain(MountFlag.READ_ONLY);
      assertThat(mounted("/t/2").flags()).contains(MountFlag.READ_ONLY);
    }

    @Test
    void whatWasWrittenIsThereTheNextTime() {
      Volume volume = made("a", WRITER);
      Map<String, String> context = published(plugin, volume, WRITER, "/t/1");
      host.file(path("/t/1/data"), "hello");
      plugin.ask(unpublish(volume, "/t/1"));
      plugin.ask(unstage(volume));
      assertThat(host.table().list().records()).hasSize(1);
      assertThat(host.exists(path("/t/1"))).isFalse();
      assertThat(host.exists(path(staging(volume)))).isTrue();

      plugin.ask(stage(volume, context, WRITER).build());
      plugin.ask(publish(volume, context, WRITER, "/t/1").build());
      assertThat(host.content(path("/t/1/data"))).contains("hello");
    }

    @Test
    void aRebootTakesTheMountsAndARepeatMakesThemAgain() {
      Volume volume = made("a", WRITER);
      Map<String, String> context = published(plugin, volume, WRITER, "/t/1");
      host.file(path("/t/1/data"), "hello");
      kernel.reboot();
      assertThat(host.table().list().records()).hasSize(1);
      internal(
          plugin,
          publish(volume, context, WRITER, "/t/1").build(),
          "nothing is mounted at the staging path");

      plugin.ask(stage(volume, context, WRITER).build());
      plugin.ask(publish(volume, context, WRITER, "/t/1").build());
      assertThat(host.content(path("/t/1/data"))).contains("hello");
    }

    @Test
    void whatIsMountedOutlivesWhatThePluginKnows() {
      Volume volume = made("a", WRITER);
      published(plugin, volume, WRITER, "/t/1");
      plugin.backend.forget();
      assertThat(host.table().find(path("/t/1"))).isPresent();
    }

    @Test
    void aDeviceIsBoundAsAFile() {
      Volume volume = made("a", BLOCK);
      published(plugin, volume, BLOCK, "/t/1");
      assertThat(host.table().find(path("/t/1"))).isPresent();
      assertThat(host.names(path("/t"))).containsExactly("1");
      plugin.ask(unpublish(volume, "/t/1"));
      assertThat(host.names(path("/t"))).isEmpty();
    }

    @Test
    void whoDoesNotStageMountsAtTheTargetAlsoReadOnlyBesideWritable() {
      plugin = plugin(PluginShape.noStaging());
      Volume volume = made("a", SHARED);
      Map<String, String> context = attached(plugin, volume, SHARED);
      plugin.ask(publish(volume, context, SHARED, "/t/1").build());
      Message reading = publish(volume, context, SHARED, "/t/2").setReadonly(true).build();
      plugin.ask(reading);
      plugin.ask(reading);
      host.file(path("/t/1/data"), "hello");
      assertThat(host.content(path("/t/2/data"))).contains("hello");
      assertThat(mounted("/t/2").flags()).contains(MountFlag.READ_ONLY);
      assertThat(mounted("/t/1").flags()).doesNotContain(MountFlag.READ_ONLY);
    }

    @Test
    void whatIsInUseStaysPublished() {
      Volume volume = made("a", WRITER);
      published(plugin, volume, WRITER, "/t/1");
      try (OpenHandle held = host.open(path("/t/1"))) {
        internal(plugin, unpublish(volume, "/t/1"), "process " + held.pid());
        assertThat(plugin.backend.contents().published()).hasSize(1);
      }
      plugin.ask(unpublish(volume, "/t/1"));
    }

    @Test
    void whatTheCallerHasToMakeIsMissed() {
      Volume volume = created(plugin, "a");
      Map<String, String> context = attached(plugin, volume, WRITER);
      internal(plugin, stage(volume, context, WRITER).build(), staging(volume));
      host.directory(path(staging(volume)));
      plugin.ask(stage(volume, context, WRITER).build());
      internal(plugin, publish(volume, context, WRITER, "/none/1").build(), "/none");
    }

    @Test
    void aTargetLeftBehindIsNotMounted() {
      plugin = plugin(PluginShape.full().with(Quirk.TARGET_LEFT_BEHIND));
      Volume volume = made("a", WRITER);
      published(plugin, volume, WRITER, "/t/1");
      plugin.ask(unpublish(volume, "/t/1"));
      assertThat(host.table().find(path("/t/1"))).isEmpty();
      assertThat(host.exists(path("/t/1"))).isTrue();
    }
  }
}
