package io.csi4j.volume.catalog;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.model.VolumeKey;
import java.util.Objects;
import java.util.Optional;

/**
 * What is remembered of a volume: how far it is. Each state is written before the call that it
 * announces is made.
 *
 * @param key how the host names it
 * @param spec what was asked for
 * @param name under which name it was asked for; nothing if it was there before
 * @param state how far it is
 */
public record CatalogEntry(
    VolumeKey key, VolumeSpec spec, Optional<CreationName> name, State state) {

  /** How far a volume is. */
  public sealed interface State {

    /** It is asked for, or about to be; its id is not known. */
    record Creating() implements State {}

    /**
     * It is there.
     *
     * @param volume the volume
     */
    record Present(CatalogVolume volume) implements State {}

    /**
     * It is being grown, or about to be.
     *
     * @param volume the volume as it was
     * @param to how large it is to be
     */
    record Growing(CatalogVolume volume, CapacityRange to) implements State {}

    /**
     * It is being deleted, or about to be.
     *
     * @param id its id; nothing if it is not known whether it was made
     * @param before the volume, if it may be kept where the storage system refuses; nothing if it
     *     is to be deleted in any case
     */
    record Deleting(Optional<VolumeId> id, Optional<CatalogVolume> before) implements State {

      /** Checks that both are there. */
      public Deleting {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(before, "before");
      }
    }
  }

  /** Checks that the parts fit. */
  public CatalogEntry {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(spec, "spec");
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(state, "state");
    if (state instanceof State.Creating && name.isEmpty()) {
      throw new IllegalArgumentException("A volume that is asked for has a name.");
    }
  }

  /** A volume that is there. */
  public static CatalogEntry of(CatalogVolume volume, Optional<CreationName> name) {
    return new CatalogEntry(volume.key(), volume.spec(), name, new State.Present(volume));
  }

  /** The same, in another state. */
  public CatalogEntry in(State next) {
    return new CatalogEntry(key, spec, name, next);
  }

  /** The volume, if there is one that may be used. */
  public Optional<CatalogVolume> volume() {
    if (state instanceof State.Present there) {
      return Optional.of(there.volume());
    }
    return state instanceof State.Growing growing
        ? Optional.of(growing.volume())
        : Optional.empty();
  }

  /** The id of the volume, if it is known. */
  public Optional<VolumeId> id() {
    return state instanceof State.Deleting going ? going.id() : volume().map(CatalogVolume::id);
  }
}
