package io.csi4j.volume.internal.catalog;

import io.csi4j.volume.model.VolumeKey;
import java.util.Collection;
import java.util.Objects;
import java.util.Set;

/**
 * The session of a control plane as stored; the record exists as long as the session.
 *
 * @param owner the session
 * @param renewal the number of its renewal
 * @param givenUp the parts of volumes on which the control plane has given up its work
 */
public record SessionRecord(CatalogWork.Owner owner, long renewal, Set<Part> givenUp) {

  /**
   * A part of a volume.
   *
   * @param part the name of the part, as in {@link CatalogWork#part}
   */
  public record Part(VolumeKey volume, String part) {

    /** Checks that both parts are set. */
    public Part {
      Objects.requireNonNull(volume, "volume");
      Objects.requireNonNull(part, "part");
    }
  }

  /** Copies the parts. */
  public SessionRecord {
    Objects.requireNonNull(owner, "owner");
    givenUp = Set.copyOf(givenUp);
  }

  /** Returns a session that has just begun. */
  public static SessionRecord begun(CatalogWork.Owner owner) {
    return new SessionRecord(owner, 1, Set.of());
  }

  /**
   * Returns the session, renewed.
   *
   * @param parts all parts on which the control plane has given up its work
   */
  public SessionRecord renewed(Collection<Part> parts) {
    return new SessionRecord(owner, renewal + 1, Set.copyOf(parts));
  }
}
