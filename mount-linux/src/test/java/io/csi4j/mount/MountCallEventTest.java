package io.csi4j.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.FilesystemRequest;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the flight recorder has of the changes to mounts. */
@MountTest
class MountCallEventTest {

  @TempDir Path directory;

  @Test
  void everyChangeIsOneEventWithItsOutcome(Scratch scratch) throws Exception {
    MountPath source = scratch.directory("source");
    MountPath target = scratch.directory("target");
    MountPath missing = scratch.path("missing");
    BindRequest bind = BindRequest.builder(source, target).build();
    Path file = directory.resolve("mounts.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("io.csi4j.MountCall");
      recording.start();
      Mounts mounts = Mounts.system();
      mounts.bind(bind);
      mounts.bind(bind);
      mounts.setReadOnly(target, false);
      mounts.unmount(target, UnmountPolicy.PLAIN);
      mounts.mount(
          FilesystemRequest.builder("tmpfs", KernelText.of("tmpfs"), target)
              .secretOption("size=64k")
              .build());
      mounts.cleanup(target, UnmountPolicy.PLAIN);
      assertThatThrownBy(() -> mounts.setReadOnly(missing, false))
          .isInstanceOf(MountException.class);
      recording.stop();
      recording.dump(file);
    }

    List<RecordedEvent> events =
        RecordingFile.readAllEvents(file).stream()
            .filter(event -> event.getEventType().getName().equals("io.csi4j.MountCall"))
            .toList();
    assertThat(events)
        .extracting(
            event -> event.getString("operation"),
            event -> event.getString("target"),
            event -> event.getString("outcome"))
        .containsExactly(
            tuple("bind", target, "CREATED"),
            tuple("bind", target, "THERE_ALREADY"),
            tuple("setReadOnly", target, "DONE"),
            tuple("unmount", target, "PLAIN"),
            tuple("mount", target, "CREATED"),
            tuple("cleanup", target, "REMOVED"),
            tuple("setReadOnly", missing, "NOT_FOUND"));
    assertThat(events.get(0).getString("source")).isEqualTo(source.toString());
    assertThat(events.get(0).getDuration()).isPositive();
    assertThat(Files.exists(scratch.file("target"))).isFalse();
    assertThat(events.toString()).doesNotContain("64k");
  }

  private static org.assertj.core.groups.Tuple tuple(
      String operation, MountPath target, String outcome) {
    return org.assertj.core.groups.Tuple.tuple(operation, target.toString(), outcome);
  }
}
