package io.csi4j.mount;

import io.csi4j.mount.MountCapabilities.Need;
import io.csi4j.mount.MountCapabilities.Way;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.KernelFeatures;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Which way each need is met, derived from the features that there are. */
final class CapabilityPage {

  private static final Feature[] NONE = {};

  private final KernelFeatures features;

  private CapabilityPage(KernelFeatures features) {
    this.features = features;
  }

  /** The ways of each need on this kernel. */
  static MountCapabilities of(Kernel kernel) {
    return new MountCapabilities(kernel.release(), new CapabilityPage(kernel.features()).ways());
  }

  private Map<Need, List<Way>> ways() {
    Map<Need, List<Way>> ways = new EnumMap<>(Need.class);
    ways.put(
        Need.PROBE,
        List.of(
            way("statx", "one call, however many mounts there are", Feature.STATX_MOUNT_ROOT),
            way("openat2", "does not enter the mount, then reads its row", Feature.OPENAT2),
            way("openat + fdinfo", "compares the mounts of two descriptors, then reads its row")));
    ways.put(
        Need.RECORD,
        List.of(
            way(
                "statx + statmount",
                "two calls, however many mounts there are",
                Feature.STATX_UNIQUE_ID,
                Feature.STATMOUNT,
                Feature.LISTMOUNT),
            way("statx + mountinfo", "reads the table for one row", Feature.STATX_MOUNT_ROOT),
            way("openat2 + mountinfo", "reads the table for one row", Feature.OPENAT2),
            way("fdinfo + mountinfo", "reads the table for one row")));
    ways.put(
        Need.TABLE,
        List.of(
            way(
                "mountinfo + listmount",
                "references are numbers that no other mount gets",
                Feature.STATX_UNIQUE_ID,
                Feature.STATMOUNT,
                Feature.LISTMOUNT),
            way("mountinfo", "references are numbers that the next mount may get")));
    ways.put(
        Need.REFRESH,
        List.of(
            way(
                "listmount + statmount",
                "reads only what is new",
                Feature.STATX_UNIQUE_ID,
                Feature.STATMOUNT,
                Feature.LISTMOUNT),
            way("mountinfo", "reads the table again")));
    ways.put(
        Need.WALK,
        List.of(
            way("openat2", "one call, links refused by the kernel", Feature.OPENAT2),
            way("openat", "one call for each part of the path")));
    ways.put(
        Need.BIND,
        List.of(
            way(
                "open_tree + mount_setattr + move_mount",
                "read-only before anybody can see it",
                Feature.OPEN_TREE,
                Feature.MOUNT_SETATTR),
            way(
                "open_tree + move_mount",
                "the same without flags; with them as the next",
                Feature.OPEN_TREE),
            way("mount", "writable for a moment before it is read-only")));
    ways.put(
        Need.ATTRIBUTES,
        List.of(
            way(
                "mount_setattr",
                "flags in one call, with the mounts below; propagation by mount",
                Feature.MOUNT_SETATTR),
            way("mount", "one call for each mount")));
    ways.put(
        Need.EVENTS,
        List.of(
            way("fanotify", "each change, with who made it", Feature.FANOTIFY_MOUNTS),
            way("poll", "that something changed, then reads the table again")));
    return ways;
  }

  private Way way(String calls, String promise) {
    return way(calls, promise, NONE);
  }

  private Way way(String calls, String promise, Feature... needed) {
    Optional<String> obstacle =
        Stream.of(needed).map(features::obstacle).flatMap(Optional::stream).findFirst();
    return new Way(calls, obstacle, promise);
  }
}
