package io.csi4j.volume.internal.catalog;

import io.csi4j.volume.internal.catalog.SessionRecord.Part;
import io.csi4j.volume.internal.catalog.proto.CatalogProto;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.RecordBytes;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.store.ValueCodec;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.store.RecordKey;
import java.util.Comparator;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The stored form of sessions, and of the records that name the sessions with the upkeep chores:
 * the messages of {@code state.proto}.
 */
public final class SessionCodec implements ValueCodec<SessionRecord> {

  private static final int FORMAT = 1;
  private static final String PREFIX = "session/";

  /**
   * The key of the record that names the session with all chores, as an earlier version wrote it;
   * now each chore has its own record.
   */
  public static final RecordKey UPKEEP = new RecordKey(RecordKey.Space.CLUSTER, "upkeep");

  private final Optional<RecordKey> upkeep;

  private SessionCodec(Optional<RecordKey> upkeep) {
    this.upkeep = upkeep;
  }

  /** Returns the codec for the records of sessions, each of which has its own key. */
  public static SessionCodec ofSessions() {
    return new SessionCodec(Optional.empty());
  }

  /** Returns the codec for the record that names the session with all chores. */
  public static SessionCodec ofUpkeep() {
    return new SessionCodec(Optional.of(UPKEEP));
  }

  /** Returns the codec for the record that names the session with one chore. */
  public static SessionCodec ofUpkeep(String chore) {
    return new SessionCodec(
        Optional.of(new RecordKey(UPKEEP.space(), UPKEEP.name() + "/" + chore)));
  }

  /** Returns the key of the record that names the session with the chore, or with all chores. */
  public RecordKey upkeep() {
    return upkeep.orElseThrow();
  }

  @Override
  public RecordKey.Space space() {
    return RecordKey.Space.CLUSTER;
  }

  @Override
  public RecordKey key(SessionRecord value) {
    return upkeep.orElseGet(() -> key(value.owner()));
  }

  /** Returns the key of the record of a session. */
  public static RecordKey key(CatalogWork.Owner owner) {
    return new RecordKey(RecordKey.Space.CLUSTER, PREFIX + owner.session());
  }

  @Override
  public String named(RecordKey key) {
    return upkeep.isPresent()
        ? "the record of the control plane that has the upkeep '" + key.name() + "'"
        : "the session of a control plane '" + key.name() + "'";
  }

  @Override
  public byte[] encode(SessionRecord value, UUID mark, UnknownFields newer) {
    CatalogProto.Session.Builder session =
        CatalogProto.Session.newBuilder()
            .setFormat(FORMAT)
            .setSession(value.owner().session())
            .setControlPlane(value.owner().controlPlane())
            .setRenewal(value.renewal())
            .setMarkHigh(mark.getMostSignificantBits())
            .setMarkLow(mark.getLeastSignificantBits());
    value.givenUp().stream()
        .sorted(Comparator.comparing(Part::volume).thenComparing(Part::part))
        .forEach(part -> session.addGivenUp(encoded(part)));
    return new RecordBytes<>(session.build(), newer).bytes();
  }

  private static CatalogProto.GivenUp encoded(Part part) {
    return CatalogProto.GivenUp.newBuilder()
        .setNamespace(part.volume().namespace().value())
        .setId(part.volume().id())
        .setPart(part.part())
        .build();
  }

  @Override
  public Decoded<SessionRecord> decode(byte[] bytes) throws MalformedRecordException {
    RecordBytes<CatalogProto.Session> read =
        RecordBytes.read(CatalogProto.Session.parser(), bytes, FORMAT);
    CatalogProto.Session in = read.message();
    SessionRecord session =
        RecordBytes.checked(
            "session",
            () ->
                new SessionRecord(
                    new CatalogWork.Owner(in.getSession(), in.getControlPlane()),
                    in.getRenewal(),
                    in.getGivenUpList().stream()
                        .map(SessionCodec::decoded)
                        .collect(Collectors.toSet())));
    return new Decoded<>(session, read.newer());
  }

  private static Part decoded(CatalogProto.GivenUp in) {
    return new Part(VolumeKey.of(Namespace.of(in.getNamespace()), in.getId()), in.getPart());
  }

  @Override
  public boolean removes() {
    return true;
  }
}
