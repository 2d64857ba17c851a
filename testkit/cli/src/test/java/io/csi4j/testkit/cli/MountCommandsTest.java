package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.MountTable;
import io.csi4j.mount.model.DeviceId;
import io.csi4j.mount.model.Holder;
import io.csi4j.mount.model.Holders;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.Propagation;
import io.csi4j.volume.manager.ManagerView;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.node.PathStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
            new MountRef(MountPath.of("/mnt/share"), "boot", new MountRef.Identity.Unique(7)),
            30,
            1,
            OptionalLong.empty(),
            new DeviceId(0, 40),
            KernelText.of("/"),
            Set.of(),
            Propagation.Tags.PRIVATE,
            KernelText.of("cifs"),
            KernelText.of("//alice:hunter2@files/share"),
            List.of());

    assertThat(
            MountListCommand.table(List.of(mount), none -> Optional.empty())
                .lines(Screen.UNLIMITED)
                .get(1))
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
    assertThat(run.outLines().get(1)).startsWith("  it is inside the mount at /");
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
              "  recorded: published");
      assertThat(json.out()).contains("\"volume\":{\"plugin\":\"fake.csi4j.example\"");
    }
  }

  private static MountRecord mount(String path, int id) {
    return new MountRecord(
        new MountRef(MountPath.of(path), "boot", new MountRef.Identity.Unique(id)),
        id,
        1,
        OptionalLong.empty(),
        new DeviceId(0, 40),
        KernelText.of("/"),
        Set.of(),
        Propagation.Tags.PRIVATE,
        KernelText.of("ext4"),
        KernelText.of("/dev/sdb"),
        List.of());
  }

  @Test
  void theProcessThatKeepsAMountBusyIsNotHiddenByTwoHundredMounts() {
    List<Holder> found = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      found.add(new Holder.Child(mount("/mnt/data/c" + i, 100 + i)));
    }
    found.add(new Holder.RunningProcess(7, KernelText.of("db"), Set.of(Holder.Use.OPEN_FILE)));
    for (int i = 0; i < 155; i++) {
      found.add(new Holder.Sibling(mount("/srv/s" + i, 300 + i)));
    }

    assertThat(holders(found, 0, true, true))
        .containsExactly(
            "/mnt/data is ext4 from /dev/sdb",
            "  process 7 (db)",
            "    busy: open file",
            "  100 mounts below it keep it busy: /mnt/data/c0, /mnt/data/c1, /mnt/data/c2,"
                + " /mnt/data/c3, /mnt/data/c4, /mnt/data/c5, /mnt/data/c6, /mnt/data/c7,"
                + " /mnt/data/c8, /mnt/data/c9 and 90 more; --json shows all of them",
            "  155 mounts of the same filesystem keep its device in use: /srv/s0, /srv/s1, /srv/s2,"
                + " /srv/s3, /srv/s4, /srv/s5, /srv/s6, /srv/s7, /srv/s8, /srv/s9 and 145 more;"
                + " --json shows all of them");
  }

  private static List<String> holders(
      List<Holder> found, int unseen, boolean complete, boolean isRoot) {
    MountTable table = MountTable.system();
    return MountHoldersCommand.lines(
        mount("/mnt/data", 30),
        new Holders(found, unseen, complete),
        new ManagedPaths(table, table.list()),
        isRoot);
  }

  @Test
  void holdersAreGroupedByProcessAndProcessesThatDoTheSameStandTogether() {
    List<Holder> found = new ArrayList<>();
    found.add(
        new Holder.RunningProcess(
            7, KernelText.of("db"), Set.of(Holder.Use.WORKING_DIRECTORY, Holder.Use.OPEN_FILE)));
    for (int i = 0; i < 12; i++) {
      found.add(
          new Holder.RunningProcess(20 + i, KernelText.of("web"), Set.of(Holder.Use.OPEN_FILE)));
    }
    found.add(new Holder.Elsewhere(4, 7, KernelText.of("db"), MountPath.of("/data")));
    found.add(new Holder.Elsewhere(5, 90, KernelText.of("pause"), MountPath.of("/a")));
    found.add(new Holder.Elsewhere(5, 90, KernelText.of("pause"), MountPath.of("/b")));
    found.add(new Holder.Child(mount("/mnt/data/c0", 100)));

    assertThat(holders(found, 0, true, true))
        .containsExactly(
            "/mnt/data is ext4 from /dev/sdb",
            "  process 7 (db)",
            "    busy: open file, working directory",
            "    device in use: mounted in its mount namespace, at /data",
            "  12 processes (web): 20, 21, 22, 23, 24, 25, 26, 27, 28, 29 and 2 more",
            "    busy: open file",
            "  1 mount below it keeps it busy: /mnt/data/c0",
            "  process 90 (pause)",
            "    device in use: mounted in its mount namespace, at /a, /b");
  }

  @Test
  void namesStandBesideThePathsOfAManagerAndTheTableFitsTheTerminal() {
    VolumeIdentity volume =
        new VolumeIdentity(PluginId.of("ebs.csi.aws.com"), VolumeId.of("vol-0a1b2c3d4e5f67890"));
    Path target = Path.of("/var/lib/volumes/v/6wsd3k2m5qxvy7ab/p/hq5nzt2c4r6y7m3k/t");
    ManagerView.VolumePath viewed =
        new ManagerView.VolumePath(
            volume,
            Optional.of(ManagedDirectory.WEB),
            target,
            PathStatus.PRESENT,
            PathStatus.PRESENT,
            Optional.empty(),
            Optional.empty());
    List<MountRecord> mounts = List.of(mount("/", 29), mount(target.toString(), 30));
    TextTable table =
        MountListCommand.table(
            mounts,
            each -> each.path().toPath().equals(target) ? Optional.of(viewed) : Optional.empty());

    assertThat(table.lines(Screen.UNLIMITED))
        .containsExactly(
            "PATH                                                      VOLUME                     "
                + "  "
                + "                 TYPE  SOURCE    ROOT  FLAGS  PROPAGATION",
            "/                                                                                    "
                + "  "
                + "                 ext4  /dev/sdb  /     rw     private",
            target
                + "  vol-0a1b2c3d4e5f67890 for web-1 (default/db)  ext4  /dev/sdb  /     rw    "
                + " private");
    assertThat(table.lines(80))
        .containsExactly(
            "PATH               VOLUME                 TYPE  SOURCE  ROOT  FLAGS  PROPAGATION",
            "/                                         ext4  /dev    /     rw     private",
            "                                                /sdb",
            target.toString(),
            "                   vol-0a1b2c3d4e5f67890  ext4  /dev    /     rw     private",
            "                   for web-1                    /sdb",
            "                   (default/db)");
  }

  @Test
  void theUserOfThisProcessIsTheOwnerOfItsFiles() throws IOException {
    Object owner = Files.getAttribute(Files.createFile(temp.resolve("mine")), "unix:uid");

    assertThat(OwnProcess.isRoot()).isEqualTo(owner.equals(0));
  }

  @Test
  void onlyWhoIsNotRootIsAdvisedToBecomeRoot() {
    assertThat(holders(List.of(), 2, true, false))
        .containsExactly(
            "/mnt/data is ext4 from /dev/sdb",
            "  no holder was found",
            "  2 processes could not be examined and may hold it: the kernel denies access to"
                + " this user. Run it as root.");
    assertThat(holders(List.of(), 1, false, true))
        .containsExactly(
            "/mnt/data is ext4 from /dev/sdb",
            "  no holder was found",
            "  1 process could not be examined and may hold it: the kernel denies access to"
                + " this process, although its user is root. Run it as root of the host, outside"
                + " of any container.",
            "  the search is incomplete: it may have missed holders");
  }

  @Test
  void holdersOfWhatIsNoMountAreRefusedWithWhatToAsk() {
    Run run = Run.of("mounts", "holders", temp.toString());

    assertThat(run.code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(run.err())
        .startsWith(
            "Nothing is mounted at " + temp + ". To see which mount contains it, run: csi4j");
  }
}
