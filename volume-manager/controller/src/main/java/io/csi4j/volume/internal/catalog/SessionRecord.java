package io.csi4j.volume.internal.catalog;

/**
 * The session of a control plane as it stands in a store, for as long as the session lasts.
 *
 * @param owner the session
 * @param renewal the number of its renewal
 */
public record SessionRecord(CatalogWork.Owner owner, long renewal) {

  /** Returns the session, renewed. */
  public SessionRecord renewed() {
    return new SessionRecord(owner, renewal + 1);
  }
}
