package io.csi4j.volume.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.FilesystemRequest;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.Propagation;
import io.csi4j.testkit.mount.MemoryKernel;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.workload.TaskMounts.BindMount;
import io.csi4j.volume.workload.VolumeMount.SelinuxRelabel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a runtime is handed, and in which order. */
class TaskMountsTest {

  private static BindMount bind(String source, String destination) {
    return BindMount.of(MountPath.of(source), MountPath.of(destination));
  }

  private static TaskMounts.Device device(String source, String destination) {
    return new TaskMounts.Device(MountPath.of(source), MountPath.of(destination), false);
  }

  private static VolumeException conflict(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable of) {
    VolumeException thrown = catchThrowableOfType(VolumeException.class, of);
    assertThat(thrown.code()).isEqualTo(OperatorCode.DESTINATION_CONFLICT);
    assertThat(thrown.outcome()).isEqualTo(VolumeException.Outcome.REFUSED);
    return thrown;
  }

  @Test
  @Tag("S-49")
  void theSameAgainChangesNothing() {
    TaskMounts mounts =
        TaskMounts.none().with(bind("/host/a", "/a")).with(device("/host/b", "/dev/b"));

    assertThat(mounts.with(mounts)).isEqualTo(mounts);
    assertThat(mounts.with(bind("/host/a", "/a")).with(device("/host/b", "/dev/b")))
        .isEqualTo(mounts);
    assertThat(mounts.binds()).containsExactly(bind("/host/a", "/a"));
    assertThat(mounts.devices()).containsExactly(device("/host/b", "/dev/b"));
  }

  @Test
  @Tag("S-49")
  void twoAtOnePlaceAreAConflictThatNamesBoth() {
    TaskMounts mounts = TaskMounts.none().with(bind("/host/a", "/data"));

    assertThat(conflict(() -> mounts.with(bind("/host/b", "/data"))))
        .hasMessage(
            "CSI-535 DESTINATION_CONFLICT: assembling the mounts of a task at"
                + " /data: /host/a is mounted there, and /host/b would be too; the task"
                + " did not get them. Give each mount its own destination.");
    assertThat(conflict(() -> mounts.with(device("/host/b", "/data"))))
        .hasMessageContaining(" at /data: /host/a is mounted there, and /host/b would be too;");
    assertThat(
            conflict(
                () ->
                    mounts.with(
                        new BindMount(
                            MountPath.of("/host/a"),
                            MountPath.of("/data"),
                            true,
                            Propagation.PRIVATE,
                            Optional.empty()))))
        .hasMessageContaining(" at /data: /host/a would be mounted there in two ways;");
  }

  @Test
  void nothingIsInsideOfADevice() {
    assertThat(
            conflict(
                () ->
                    TaskMounts.none()
                        .with(device("/host/b", "/dev/b"))
                        .with(bind("/host/a", "/dev/b/c"))))
        .hasMessageContaining(" at /dev/b/c: it would be inside /dev/b, which is a device;");
    assertThat(
            TaskMounts.none()
                .with(device("/host/b", "/dev/b"))
                .with(bind("/host/a", "/dev/bc"))
                .binds())
        .hasSize(1);
  }

  @Test
  void whatIsOutsideComesBeforeWhatIsInsideHoweverItWasAdded() {
    List<String> places =
        List.of("/data", "/data/deep/inside", "/data/deep", "/data-2", "/d", "/data!", "/e/data");
    Random random = new Random(7);
    List<String> shuffled = new ArrayList<>(places);
    List<BindMount> first = null;
    for (int i = 0; i < 200; i++) {
      Collections.shuffle(shuffled, random);
      TaskMounts mounts = TaskMounts.none();
      for (String place : shuffled) {
        mounts = mounts.with(bind("/host" + place, place));
      }
      List<MountPath> order = mounts.binds().stream().map(BindMount::destination).toList();
      for (int inner = 0; inner < order.size(); inner++) {
        for (int outer = inner + 1; outer < order.size(); outer++) {
          assertThat(order.get(inner).isWithin(order.get(outer))).isFalse();
        }
      }
      first = first == null ? mounts.binds() : first;
      assertThat(mounts.binds()).isEqualTo(first);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "false, PRIVATE, rw, rprivate",
    "true, HOST_TO_CONTAINER, ro, rslave",
    "false, BIDIRECTIONAL, rw, rshared",
  })
  void aRuntimeIsToldInItsWords(
      boolean readOnly, Propagation propagation, String access, String word) {
    BindMount mount =
        new BindMount(
            MountPath.of("/host/a"),
            MountPath.of("/data"),
            readOnly,
            propagation,
            Optional.of(SelinuxRelabel.SHARED));

    assertThat(mount.options()).containsExactly("rbind", access, word);
    BindRequest request = mount.below(MountPath.of("/tasks/web"));
    assertThat(request.source()).isEqualTo(MountPath.of("/host/a"));
    assertThat(request.target()).isEqualTo(MountPath.of("/tasks/web/data"));
    assertThat(request.recursive()).isTrue();
    assertThat(request.flags().contains(MountFlag.READ_ONLY)).isEqualTo(readOnly);
    assertThat(request.propagation()).contains(propagation);
    assertThat(mount.below(MountPath.ROOT).target()).isEqualTo(MountPath.of("/data"));
    assertThat(Stream.of(Propagation.values()).map(Propagation::kernelWord)).contains(word);
  }

  @Test
  void aDeviceIsReadAndWrittenOrOnlyRead() {
    assertThat(device("/host/b", "/dev/b").permissions()).isEqualTo("rwm");
    assertThat(
            new TaskMounts.Device(MountPath.of("/host/b"), MountPath.of("/dev/b"), true)
                .permissions())
        .isEqualTo("rm");
  }

  @Test
  void volumesThatPropagateAreSharedAndMountsOfTheHostLeftAsTheyAre() {
    MemoryKernel kernel = new MemoryKernel();
    List<BindMount> binds = new ArrayList<>();
    for (Propagation each : Propagation.values()) {
      MountPath path = kernel.host().directory(MountPath.of("/volumes/" + each.kernelWord()));
      kernel
          .mounts()
          .mount(FilesystemRequest.builder("tmpfs", KernelText.of("tmpfs"), path).build());
      binds.add(new BindMount(path, path, false, each, Optional.empty()));
    }
    MountPath ofTheHost = kernel.host().directory(MountPath.of("/srv"));
    kernel
        .mounts()
        .mount(FilesystemRequest.builder("tmpfs", KernelText.of("tmpfs"), ofTheHost).build());
    binds.add(
        new BindMount(ofTheHost, ofTheHost, false, Propagation.BIDIRECTIONAL, Optional.empty()));
    TaskMounts mounts = new TaskMounts(binds, List.of());

    mounts.share(MountPath.of("/volumes"), kernel.mounts());
    mounts.share(MountPath.of("/volumes"), kernel.mounts());

    assertThat(
            binds.stream()
                .filter(each -> shares(kernel, each.source()))
                .map(each -> each.source().toString()))
        .containsExactly("/volumes/rslave", "/volumes/rshared");
  }

  private static boolean shares(MemoryKernel kernel, MountPath path) {
    return kernel.table().find(path).orElseThrow().propagation().sends();
  }
}
