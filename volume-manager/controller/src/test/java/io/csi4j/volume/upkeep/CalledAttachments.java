package io.csi4j.volume.upkeep;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.ControllerGetVolumeHealthRequest;
import io.csi4j.client.controller.ControllerGetVolumeRequest;
import io.csi4j.client.controller.ControllerService;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeHealthReport;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.controller.CallFailures;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.store.RecordStore;
import java.util.Iterator;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/** The attachments that a plugin reports when no controller has its calls in order. */
public final class CalledAttachments {

  private CalledAttachments() {}

  /** A check of this plugin without a controller of ours. */
  public static DriftCheck check(ControllerService plugin, RecordStore claims) {
    return new DriftCheck(of(plugin), claims);
  }

  /** Reads single volumes through a controller. */
  public static Function<VolumeId, Optional<VolumeEntry>> read(
      VolumeController controller, PluginId plugin) {
    return StoredAttachments.of(controller, plugin)::read;
  }

  /** The attachments that this plugin reports; it is asked now what it can do. */
  static StoredAttachments of(ControllerService plugin) {
    Set<ControllerCapability> all = plugin.getCapabilities().offered();
    return new StoredAttachments() {
      @Override
      public Set<ControllerCapability> offered() {
        return all;
      }

      @Override
      public Iterable<VolumeEntry> list() {
        return told(plugin.volumes());
      }

      @Override
      public Optional<VolumeEntry> read(VolumeId volume) {
        return unlessGone(
            () -> plugin.getVolume(ControllerGetVolumeRequest.builder(volume).build()));
      }

      @Override
      public Iterable<VolumeHealthReport> listHealth() {
        return told(plugin.volumeHealth());
      }

      @Override
      public Optional<VolumeHealthReport> health(VolumeId volume) {
        return unlessGone(
            () -> plugin.getVolumeHealth(ControllerGetVolumeHealthRequest.builder(volume).build()));
      }

      private <T> Optional<T> unlessGone(Supplier<T> reading) {
        try {
          return Optional.of(reading.get());
        } catch (CsiException missing) {
          if (missing.code() == StatusCode.NOT_FOUND) {
            return Optional.empty();
          }
          throw CallFailures.of("asking for attachments", missing);
        }
      }
    };
  }

  private static <T> Iterable<T> told(Iterable<T> listing) {
    return () -> {
      Iterator<T> all = answered(listing::iterator);
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          return answered(all::hasNext);
        }

        @Override
        public T next() {
          return answered(all::next);
        }
      };
    };
  }

  private static <T> T answered(Supplier<T> question) {
    try {
      return question.get();
    } catch (CsiException failed) {
      throw CallFailures.of("asking for attachments", failed);
    }
  }
}
