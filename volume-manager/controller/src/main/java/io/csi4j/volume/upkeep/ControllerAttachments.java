package io.csi4j.volume.upkeep;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** The words of the controllers of a plugin about the volumes that are on record. */
final class ControllerAttachments implements StoredAttachments {

  private final VolumeController controller;
  private final PluginId plugin;

  /** May be old; each key is looked up before it is used. */
  private volatile Map<VolumeId, VolumeKey> keys = Map.of();

  ControllerAttachments(VolumeController controller, PluginId plugin) {
    this.controller = Objects.requireNonNull(controller, "controller");
    this.plugin = Objects.requireNonNull(plugin, "plugin");
  }

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
    Optional<VolumeKey> key = key(volume);
    if (key.isEmpty()) {
      keys = controller.handles(plugin);
      key = key(volume);
    }
    try {
      return key.map(controller::inspect);
    } catch (ControllerException missing) {
      if (missing.status().filter(StatusCode.NOT_FOUND::equals).isPresent()) {
        return Optional.empty();
      }
      throw missing;
    }
  }

  private Optional<VolumeKey> key(VolumeId volume) {
    return Optional.ofNullable(keys.get(volume))
        .filter(key -> controller.find(key).filter(found -> found.id().equals(volume)).isPresent());
  }
}
