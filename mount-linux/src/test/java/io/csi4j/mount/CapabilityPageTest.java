package io.csi4j.mount;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.MountCapabilities.Method;
import io.csi4j.mount.MountCapabilities.Need;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.KernelFeatures;
import io.csi4j.mount.internal.kernel.ScriptedCalls;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.internal.kernel.Syscalls;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** That the page says which way each need is met, and why not by a better one. */
class CapabilityPageTest {

  private static final Syscalls NONE = ScriptedCalls.answering((call, arguments) -> -Abi.ENOSYS);

  @ParameterizedTest
  @EnumSource
  void everyNeedCanBeMetByTheOldestKernel(Need need) {
    MountCapabilities page = page(KernelFeatures.probe(NONE));

    assertThat(page.used(need)).isPresent();
    assertThat(page.ways().get(need)).hasSizeGreaterThan(1);
    assertThat(page.ways().get(need).get(0).obstacle()).isPresent();
  }

  @ParameterizedTest
  @EnumSource
  void theFirstWayIsUsedWhereNothingIsInTheWay(Need need) {
    MountCapabilities page = page(all());

    assertThat(page.used(need)).contains(page.ways().get(need).get(0));
    assertThat(page.ways().get(need)).allMatch(way -> way.obstacle().isEmpty());
  }

  @Test
  void oneMissingCallMovesOnlyTheNeedsThatItMeets() {
    MountCapabilities page = page(all().without(Feature.MOUNT_SETATTR, "a filter hides it"));

    assertThat(page.used(Need.BIND).map(Method::calls)).contains("open_tree + move_mount");
    assertThat(page.used(Need.ATTRIBUTES).map(Method::calls)).contains("mount");
    assertThat(page.used(Need.PROBE).map(Method::calls)).contains("statx");
    assertThat(page.used(Need.RECORD).map(Method::calls)).contains("statx + statmount");
  }

  @Test
  void thePageIsForPeople() {
    KernelFeatures features =
        all().without(Feature.LISTMOUNT, "old").without(Feature.STATX_MOUNT_ROOT, "older");

    assertThat(page(features))
        .hasToString(
            """
            Linux 6.1.0-test, called by a script
            is it a mount point?
                statx: one call, however many mounts there are (not here: older)
              * openat2: does not enter the mount, then reads its row
                openat + fdinfo: compares the mounts of two descriptors, then reads its row
            all about one mount
                statx + statmount: two calls, however many mounts there are (not here: old)
                statx + mountinfo: reads the table for one row (not here: older)
              * openat2 + mountinfo: reads the table for one row
                fdinfo + mountinfo: reads the table for one row
            the whole table
                mountinfo + listmount: references are numbers that no other mount gets (not here: old)
              * mountinfo: references are numbers that the next mount may get
            new and removed mounts
                listmount + statmount: reads only what is new (not here: old)
              * mountinfo: reads the table again
            a path without symbolic links
              * openat2: one call, links refused by the kernel
                openat: one call for each part of the path
            bind mounts
              * open_tree + mount_setattr + move_mount: read-only before anybody can see it
                open_tree + move_mount: the same without flags; with them as the next
                mount: writable for a moment before it is read-only
            flags and propagation
              * mount_setattr: flags in one call, with the mounts below; propagation by mount
                mount: one call for each mount
            changes of the table
              * fanotify: each change, with who made it
                poll: that something changed, then reads the table again
            """);
  }

  /** Features of a kernel that answers every call. */
  private static KernelFeatures all() {
    return KernelFeatures.probe(
        ScriptedCalls.answering(
            (call, arguments) -> {
              if (call.equals("statx")) {
                byte[] out = (byte[]) arguments[4];
                Struct.u32(out, Abi.STATX_AT_MASK, Abi.STATX_MNT_ID_UNIQUE);
                Struct.u64(out, Abi.STATX_AT_ATTRIBUTES_MASK, Abi.STATX_ATTR_MOUNT_ROOT);
              }
              return 0;
            }));
  }

  private static MountCapabilities page(KernelFeatures features) {
    return MountCapabilities.of(new Kernel(NONE, features, "boot", "6.1.0-test"));
  }
}
