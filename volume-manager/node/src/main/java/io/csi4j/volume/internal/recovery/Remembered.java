package io.csi4j.volume.internal.recovery;

import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.record.RecordCodec;
import io.csi4j.volume.internal.record.Tombstone;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateKind;
import io.csi4j.volume.state.StateValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The records of a state, read once; of those that cannot be read it is told why. */
public final class Remembered {

  private final LoadedState state;
  private final Map<String, VolumeRecord> volumes = new LinkedHashMap<>();
  private final List<Tombstone> tombstones = new ArrayList<>();
  private final List<OperatorMessage> unreadable = new ArrayList<>();

  private Remembered(LoadedState state) {
    this.state = state;
    state.values().forEach(this::read);
  }

  /** Returns the contents of this state. */
  public static Remembered of(LoadedState state) {
    return new Remembered(state);
  }

  private void read(StateKey key, StateValue value) {
    try {
      if (key.kind() == StateKind.VOLUME) {
        VolumeRecord record = RecordCodec.decodeVolume(value);
        if (!VolumeLayout.id(record.identity()).equals(key.id())) {
          throw new MalformedRecordException("it is that of " + record.identity());
        }
        volumes.put(key.id(), record);
      } else if (key.kind() == StateKind.TOMBSTONE) {
        tombstones.add(RecordCodec.decodeTombstone(value));
      }
    } catch (MalformedRecordException e) {
      unreadable.add(
          Messages.of(
              OperatorCode.RECORD_UNREADABLE,
              Subject.of(Recovery.DOING),
              "the record " + key + " cannot be read: " + e.getMessage()));
    }
  }

  /** Where it was read. */
  LoadedState state() {
    return state;
  }

  /** The volumes, by the names of their directories. */
  Map<String, VolumeRecord> volumes() {
    return volumes;
  }

  List<Tombstone> tombstones() {
    return tombstones;
  }

  /** Returns messages about the records that cannot be read. */
  List<OperatorMessage> unreadable() {
    return unreadable;
  }

  /** Whose the directory with this name has to be, if anything is remembered of it. */
  public Optional<VolumeIdentity> owner(String directory) {
    return Optional.ofNullable(volumes.get(directory)).map(VolumeRecord::identity);
  }
}
