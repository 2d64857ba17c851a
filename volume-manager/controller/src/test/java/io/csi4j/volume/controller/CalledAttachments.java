package io.csi4j.volume.controller;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.ControllerGetVolumeHealthRequest;
import io.csi4j.client.controller.ControllerGetVolumeRequest;
import io.csi4j.client.controller.ControllerService;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeHealthReport;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.upkeep.StoredAttachments;
import java.util.Iterator;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** The attachments that a plugin tells of when no controller has its calls in order. */
public final class CalledAttachments {

  private static final Subject ASKING = Subject.of("asking for attachments");

  private CalledAttachments() {}

  /** The attachments that this plugin tells of; it is asked now what it can do. */
  public static StoredAttachments of(ControllerService plugin) {
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
          throw ControllerFailures.of(ASKING, missing);
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
      throw ControllerFailures.of(ASKING, failed);
    }
  }
}
