package io.csi4j.volume.internal.store;

import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.StoreIdentity;
import java.util.Objects;
import java.util.UUID;

/**
 * The mark of a move, a record in both stores: while it is present, only the move changes the
 * store. The target has it until the move is complete, the source until an operator takes the
 * records back.
 *
 * @param other the other store of the move
 * @param comesIn whether the records come from the other store, or go to it
 * @param isComplete whether the other store has all records
 */
public record MoveMark(StoreIdentity other, boolean comesIn, boolean isComplete) {

  /** The key of the one record. */
  public static final RecordKey KEY = new RecordKey(RecordKey.Space.CLUSTER, "move");

  /** Checks that the other store is set. */
  public MoveMark {
    Objects.requireNonNull(other, "other");
  }

  /** Returns the records of marks in a store. */
  public static RecordValues<MoveMark> in(RecordStore store) {
    return new RecordValues<>(store, new Codec());
  }

  /**
   * Returns, as a clause for display, why the store with the mark is not changed.
   *
   * @param here that store
   */
  public ReasonText reason(StoreIdentity here) {
    StoreIdentity from = comesIn ? other : here;
    StoreIdentity to = comesIn ? here : other;
    return new ReasonText(
        isComplete
            ? "the records of store '" + from + "' were moved to store '" + to + "'"
            : "the move of the records of store '"
                + from
                + "' to store '"
                + to
                + "' is not complete");
  }

  private static final class Codec implements ValueCodec<MoveMark> {

    @Override
    public RecordKey.Space space() {
      return KEY.space();
    }

    @Override
    public RecordKey key(MoveMark value) {
      return KEY;
    }

    @Override
    public String named(RecordKey key) {
      return "the mark of a move";
    }

    @Override
    public byte[] encode(MoveMark value, UUID mark, UnknownFields newer) {
      return StoreCodec.encode(value, mark, newer);
    }

    @Override
    public Decoded<MoveMark> decode(byte[] bytes) throws MalformedRecordException {
      return StoreCodec.move(bytes);
    }

    @Override
    public boolean removes() {
      return true;
    }
  }
}
