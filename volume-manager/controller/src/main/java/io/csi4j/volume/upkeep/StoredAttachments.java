package io.csi4j.volume.upkeep;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeHealthReport;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The attachments that a storage system reports. Methods block, and throw {@link
 * ControllerException} if the plugin does not answer.
 */
interface StoredAttachments {

  /** Returns the capabilities of the plugin. */
  Set<ControllerCapability> offered();

  /** Returns all volumes, page by page; only with {@link ControllerCapability#LIST_VOLUMES}. */
  Iterable<VolumeEntry> list();

  /** Returns one volume, if it exists; only with {@link ControllerCapability#GET_VOLUME}. */
  Optional<VolumeEntry> read(VolumeId volume);

  /**
   * Returns the faults of volumes, page by page; only with {@link
   * ControllerCapability#LIST_VOLUME_HEALTH}. By default, returns none.
   */
  @Experimental
  default Iterable<VolumeHealthReport> listHealth() {
    return List.of();
  }

  /**
   * Returns all faults of one volume, if it exists; only with {@link
   * ControllerCapability#GET_VOLUME_HEALTH}. By default, returns none.
   */
  @Experimental
  default Optional<VolumeHealthReport> health(VolumeId volume) {
    return Optional.empty();
  }

  /**
   * Returns the attachments that the controllers of a plugin report, through the controller that
   * orders its calls, for the recorded volumes that {@link VolumeController#handles} lists.
   */
  static StoredAttachments of(VolumeController controller, PluginId plugin) {
    Objects.requireNonNull(controller, "controller");
    Objects.requireNonNull(plugin, "plugin");
    return new StoredAttachments() {

      /** May be out of date; each key is looked up before it is used. */
      private volatile Map<VolumeId, VolumeKey> keys = Map.of();

      @Override
      public Set<ControllerCapability> offered() {
        return controller.offered(plugin);
      }

      @Override
      public Iterable<VolumeEntry> list() {
        return controller.list(plugin);
      }

      @Override
      public Optional<VolumeEntry> read(VolumeId volume) {
        return unlessGone(() -> key(volume).map(controller::inspect));
      }

      @Override
      public Iterable<VolumeHealthReport> listHealth() {
        return controller.listHealth(plugin);
      }

      @Override
      public Optional<VolumeHealthReport> health(VolumeId volume) {
        return unlessGone(() -> key(volume).flatMap(controller::health));
      }

      private <T> Optional<T> unlessGone(Supplier<Optional<T>> reading) {
        try {
          return reading.get();
        } catch (ControllerException missing) {
          if (missing.status().filter(StatusCode.NOT_FOUND::equals).isPresent()) {
            return Optional.empty();
          }
          throw missing;
        }
      }

      private Optional<VolumeKey> key(VolumeId volume) {
        return known(volume)
            .or(
                () -> {
                  keys = controller.handles(plugin);
                  return known(volume);
                });
      }

      private Optional<VolumeKey> known(VolumeId volume) {
        return Optional.ofNullable(keys.get(volume))
            .filter(
                key -> controller.find(key).filter(found -> found.id().equals(volume)).isPresent());
      }
    };
  }
}
