package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.model.DeviceId;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountIdentity;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.PropagationTags;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MountCommandsTest {

  @TempDir Path temp;

  @Test
  void mountsAreListedByPlaceAndType() {
    Run proc = Run.of("mounts", "list", "/proc", "--type", "proc", "--json");
    Run none = Run.of("mounts", "list", "--type", "no-such-type");

    assertThat(proc.code()).isZero();
    assertThat(proc.outLines().get(0))
        .startsWith("{\"path\":\"/proc\",\"ref\":\"")
        .contains("\"type\":\"proc\"");
    assertThat(none.code()).isZero();
    assertThat(none.outLines()).containsExactly("PATH  TYPE  SOURCE  ROOT  FLAGS  PROPAGATION");
  }

  @Test
  void thePasswordInTheAddressOfAServerIsNotPrinted() {
    MountRecord mount =
        new MountRecord(
            new MountRef(MountPath.of("/mnt/share"), "boot", new MountIdentity.Unique(7)),
            30,
            1,
            OptionalLong.empty(),
            new DeviceId(0, 40),
            KernelText.of("/"),
            Set.of(),
            PropagationTags.PRIVATE,
            KernelText.of("cifs"),
            KernelText.of("//alice:hunter2@files/share"),
            List.of());

    assertThat(MountListCommand.table(List.of(mount)).lines().get(1))
        .startsWith("/mnt/share  cifs  //…@files/share  /");
    assertThat(MountWords.phrase(mount)).isEqualTo("cifs from //…@files/share");
    assertThat(MountWords.json(mount).toString()).doesNotContain("alice", "hunter2");
  }

  @Test
  void anotherProcessIsLookedAtAndOneThatIsGoneIsSaidToBe() {
    long self = ProcessHandle.current().pid();
    assertThat(Run.of("mounts", "list", "/proc", "--process", Long.toString(self)).out())
        .contains("/proc");
    Run gone = Run.of("mounts", "list", "--process", "999999999");
    assertThat(gone.code()).isEqualTo(ExitCode.NO_CONNECTION);
  }

  @Test
  void whyTellsInWhichMountAPathIsWhereNothingIsMounted() {
    Run run = Run.of("mounts", "why", temp.toString());
    Run json = Run.of("mounts", "why", temp.toString(), "--json");

    assertThat(run.code()).isEqualTo(ExitCode.FAILED);
    assertThat(run.outLines().get(0)).isEqualTo("Nothing is mounted at " + temp);
    assertThat(run.outLines().get(1)).startsWith("  it is in the mount at /");
    assertThat(json.outLines())
        .singleElement()
        .asString()
        .startsWith("{\"path\":\"" + temp + "\",\"mounted\":false,\"inside\":{");
  }

  @Test
  void whyTellsOfWhichVolumeAndWorkloadAPathIs() {
    try (ManagedDirectory world = ManagedDirectory.open(temp)) {
      String target = world.manager().volumes().get(0).uses().get(0).path().toString();
      Run run = Run.of("mounts", "why", target);
      Run json = Run.of("mounts", "why", target, "--json");

      assertThat(run.outLines())
          .contains(
              "  it is the target of workload 'web-1' (default/db) in volume 'vol-1' of plugin"
                  + " 'fake.csi4j.example'",
              "  on record: published");
      assertThat(json.out()).contains("\"volume\":{\"plugin\":\"fake.csi4j.example\"");
    }
  }

  @Test
  void holdersOfWhatIsNoMountAreRefusedWithWhatToAsk() {
    Run run = Run.of("mounts", "holders", temp.toString());

    assertThat(run.code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(run.err())
        .startsWith("Nothing is mounted at " + temp + ". See in which mount it is with: csi4j");
  }
}
