package io.csi4j.volume.upkeep;

import io.csi4j.volume.catalog.CatalogVolume;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.model.VolumeKey;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The ephemeral volumes that a controller has on record. */
record ControlledEphemeral(VolumeController controller, Predicate<VolumeKey> wanted)
    implements ReaperSources.Ephemeral {

  ControlledEphemeral {
    Objects.requireNonNull(controller, "controller");
    Objects.requireNonNull(wanted, "wanted");
  }

  @Override
  public List<VolumeKey> pending() {
    return Stream.concat(
            controller.volumes().stream().map(CatalogVolume::key), controller.owed().stream())
        .distinct()
        .filter(key -> controller.record(key).filter(there -> there.spec().ephemeral()).isPresent())
        .filter(key -> !wanted.test(key))
        .sorted()
        .toList();
  }

  @Override
  public boolean delete(VolumeKey volume) {
    controller.delete(volume);
    return controller.record(volume).isEmpty();
  }
}
