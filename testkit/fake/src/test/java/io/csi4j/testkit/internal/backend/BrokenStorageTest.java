package io.csi4j.testkit.internal.backend;

import static io.csi4j.testkit.internal.backend.Requests.GIB;
import static io.csi4j.testkit.internal.backend.Requests.WRITER;
import static io.csi4j.testkit.internal.backend.Requests.attach;
import static io.csi4j.testkit.internal.backend.Requests.attached;
import static io.csi4j.testkit.internal.backend.Requests.created;
import static io.csi4j.testkit.internal.backend.Requests.cut;
import static io.csi4j.testkit.internal.backend.Requests.delete;
import static io.csi4j.testkit.internal.backend.Requests.detach;
import static io.csi4j.testkit.internal.backend.Requests.exactly;
import static io.csi4j.testkit.internal.backend.Requests.expand;
import static io.csi4j.testkit.internal.backend.Requests.newVolume;
import static io.csi4j.testkit.internal.backend.Requests.publish;
import static io.csi4j.testkit.internal.backend.Requests.published;
import static io.csi4j.testkit.internal.backend.Requests.snapshot;
import static io.csi4j.testkit.internal.backend.Requests.stage;
import static io.csi4j.testkit.internal.backend.Requests.staged;
import static io.csi4j.testkit.internal.backend.Requests.unpublish;
import static io.csi4j.testkit.internal.backend.Requests.unstage;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.DeleteSnapshotRequest;
import io.csi4j.client.internal.proto.ListVolumesRequest;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.model.PluginShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** A call whose work fails is INTERNAL, changes nothing, and goes through when repeated. */
class BrokenStorageTest {

  private static final List<Function<Asking, Message>> WORK =
      List.of(
          plugin -> newVolume("new").build(),
          plugin -> delete(created(plugin, "a")),
          plugin -> snapshot("s", created(plugin, "a")),
          plugin ->
              DeleteSnapshotRequest.newBuilder()
                  .setSnapshotId(cut(plugin, "s", created(plugin, "a")).getSnapshotId())
                  .build(),
          plugin -> expand(created(plugin, "a"), exactly(2 * GIB)),
          plugin -> {
            Volume volume = created(plugin, "a");
            return stage(volume, attached(plugin, volume, WRITER), WRITER).build();
          },
          plugin -> {
            Volume volume = created(plugin, "a");
            staged(plugin, volume, WRITER);
            return unstage(volume);
          },
          plugin -> {
            Volume volume = created(plugin, "a");
            return publish(volume, staged(plugin, volume, WRITER), WRITER, "/t/1").build();
          },
          plugin -> {
            Volume volume = created(plugin, "a");
            published(plugin, volume, WRITER, "/t/1");
            return unpublish(volume, "/t/1");
          },
          plugin ->
              CreateVolumeGroupSnapshotRequest.newBuilder()
                  .setName("g")
                  .addSourceVolumeIds(created(plugin, "a").getVolumeId())
                  .addSourceVolumeIds(created(plugin, "b").getVolumeId())
                  .build());

  private static final List<Function<Asking, Message>> KNOWLEDGE =
      List.of(
          plugin -> attach(created(plugin, "a"), Asking.ONE, WRITER).build(),
          plugin -> {
            Volume volume = created(plugin, "a");
            attached(plugin, volume, WRITER);
            return detach(volume, "node-1");
          });

  private static DynamicTest test(
      Function<Asking, Message> row, String text, Function<StubbornStorage, Runnable> spoil) {
    StubbornStorage storage = new StubbornStorage();
    Asking plugin = new Asking(PluginShape.full().totalBytes(4 * GIB), storage);
    Message request = row.apply(plugin);
    return DynamicTest.dynamicTest(
        Asking.operation(request).rpcName(),
        () -> {
          List<Object> before = seen(plugin);
          Runnable repair = spoil.apply(storage);
          for (int i = 0; i < 3; i++) {
            Refusal refusal = plugin.refusal(request);
            assertThat(refusal.code()).isEqualTo(StatusCode.INTERNAL);
            assertThat(refusal.text()).endsWith(" failed: " + text + ". Try again.");
            assertThat(seen(plugin)).isEqualTo(before);
          }
          repair.run();
          plugin.ask(request);
          assertThat(seen(plugin)).isNotEqualTo(before);
        });
  }

  /** What it has, and how large its volumes are. */
  private static List<Object> seen(Asking plugin) throws Refusal {
    return List.of(plugin.backend.contents(), plugin.ask(ListVolumesRequest.getDefaultInstance()));
  }

  @TestFactory
  Stream<DynamicTest> whatWasMadeAndCannotBeKnownTakesNoSpace() {
    return Stream.of(WORK.get(0), WORK.get(2), WORK.get(9))
        .map(
            row -> {
              StubbornStorage storage = new StubbornStorage();
              Asking plugin = new Asking(PluginShape.full(), storage);
              Message request = row.apply(plugin);
              return DynamicTest.dynamicTest(
                  Asking.operation(request).rpcName(),
                  () -> {
                    Set<String> before = Set.copyOf(storage.bytes);
                    storage.full = true;
                    assertThat(plugin.refusal(request).code()).isEqualTo(StatusCode.INTERNAL);
                    assertThat(storage.bytes).isEqualTo(before);
                  });
            });
  }

  @TestFactory
  Stream<DynamicTest> workThatFails() {
    return WORK.stream()
        .map(
            row ->
                test(
                    row,
                    "the disk is broken",
                    storage -> {
                      storage.broken = true;
                      return () -> storage.broken = false;
                    }));
  }

  @TestFactory
  Stream<DynamicTest> knowledgeThatCannotBeKept() {
    List<Function<Asking, Message>> all = new ArrayList<>(WORK);
    all.addAll(KNOWLEDGE);
    return all.stream()
        .map(
            row ->
                test(
                    row,
                    "no space for the state",
                    storage -> {
                      storage.full = true;
                      return () -> storage.full = false;
                    }));
  }
}
