package io.csi4j.volume.internal.engine;

import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.lifecycle.Failure;
import io.csi4j.volume.internal.port.KernelMounts;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.model.VolumeIdentity;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The block devices behind volumes that are in use now, each looked at when it matters: the number
 * of a device is another one after a reboot or when a volume was attached again.
 *
 * @param kernel looks at them
 * @param layout where they are
 * @param volumes those on record
 */
record DevicesInUse(
    KernelMounts kernel, VolumeLayout layout, Supplier<List<VolumeRecord>> volumes) {

  /** Why the device that was made for a use cannot be its volume's, if it cannot. */
  Optional<Failure> objection(VolumeIdentity identity, UsageKey usage, String device) {
    List<Sighting> mounted = kernel.beneath(layout.volumes());
    for (VolumeRecord volume : volumes.get()) {
      Optional<Failure> objection =
          volume.identity().equals(identity)
              ? other(volume, usage, device)
              : taken(volume, device, mounted);
      if (objection.isPresent()) {
        return objection;
      }
    }
    return Optional.empty();
  }

  private Optional<Failure> other(VolumeRecord volume, UsageKey usage, String device) {
    for (UsageKey other : volume.targets().keySet()) {
      if (!other.equals(usage)) {
        Optional<String> has = kernel.device(layout.target(volume.identity(), other));
        if (has.isPresent() && !has.get().equals(device)) {
          return changed(
              device,
              "and workload '"
                  + other.workload()
                  + "' has device "
                  + has.get()
                  + " for the same volume");
        }
      }
    }
    return Optional.empty();
  }

  private Optional<Failure> taken(VolumeRecord volume, String device, List<Sighting> mounted) {
    boolean isTaken =
        volume.plan().block()
            ? volume.targets().keySet().stream()
                .map(usage -> kernel.device(layout.target(volume.identity(), usage)))
                .anyMatch(has -> has.filter(device::equals).isPresent())
            : mounted.stream()
                .filter(it -> it.path().isWithin(layout.volume(volume.identity())))
                .anyMatch(it -> it.device().equals(device));
    return isTaken
        ? changed(
            device,
            "which volume '"
                + volume.identity().handle()
                + "' of plugin '"
                + volume.identity().plugin()
                + "' has in use")
        : Optional.empty();
  }

  private static Optional<Failure> changed(String device, String why) {
    return Optional.of(
        Failure.of(
            OperatorCode.DEVICE_CHANGED, "the plugin made device " + device + " for it, " + why));
  }
}
