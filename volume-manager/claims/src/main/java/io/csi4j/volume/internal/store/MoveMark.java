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
 * The mark of a move of all records to another store. The mark is a record in both stores. While a
 * store has a mark, only the move may change the store. The target has the mark until the move is
 * complete. The source has the mark until an operator takes the records back.
 *
 * @param other the other store of the move
 * @param comesIn whether the marked store is the target of the move; otherwise, it is the source
 * @param isComplete whether the move is complete
 */
public record MoveMark(StoreIdentity other, boolean comesIn, boolean isComplete) {

  /** The key of the record that contains the mark. */
  public static final RecordKey KEY = new RecordKey(RecordKey.Space.CLUSTER, "move");

  /** Checks that the other store is set. */
  public MoveMark {
    Objects.requireNonNull(other, "other");
  }

  /** Returns access to the mark of a store. */
  public static RecordValues<MoveMark> in(RecordStore store) {
    return new RecordValues<>(store, new Codec());
  }

  /**
   * Returns why the marked store must not be changed, as a clause for display.
   *
   * @param here the identity of the marked store
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
