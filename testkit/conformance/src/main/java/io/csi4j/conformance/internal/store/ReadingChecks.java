package io.csi4j.conformance.internal.store;

import static io.csi4j.conformance.internal.store.Keys.DB;
import static io.csi4j.conformance.internal.store.Scene.same;

import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoredRecord;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Checks that reads return the written records. */
final class ReadingChecks {

  private ReadingChecks() {}

  static void addTo(AllChecks all) {
    all.add(
        "a record that was never written is absent",
        scene -> scene.isThere(There.never(DB), "What was never written"));
    all.add(
        "reading writes nothing",
        scene -> {
          There first = scene.read(DB);
          scene.isThere(first, "A second look");
          same(scene.scanned(), List.of(), "A scan of a key that was only read");
        });
    all.add(
        "a record is read as it was written",
        scene -> {
          There now = scene.write(scene.read(DB), "a");
          same(now.text(), "a", "The record in the answer to the write");
          scene.isThere(now, "What was read after the write");
        });
    all.add(
        "any bytes are read back unchanged",
        scene -> {
          byte[] each = new byte[256];
          for (int i = 0; i < each.length; i++) {
            each[i] = (byte) i;
          }
          bytesComeBack(scene, each);
          bytesComeBack(scene, new byte[] {0});
        });
    all.add("sixty-four KiB are kept whole", scene -> large(scene, StateValue.MAX_SIZE));
    all.add(
        "a sealed value of 64 KiB is stored, too",
        scene -> large(scene, StateValue.MAX_SIZE + 256));
  }

  private static void large(Scene scene, int size) {
    byte[] bytes = new byte[size];
    // The bytes are random, so that no store can make the record smaller by compression.
    new Random(1).nextBytes(bytes);
    bytesComeBack(scene, bytes);
  }

  private static void bytesComeBack(Scene scene, byte[] bytes) {
    StateValue value = StateValue.ofWrapped(bytes);
    There before = scene.read(DB);
    There now =
        Scene.written(
            scene.store().write(new RecordWrite(DB, before.record(), Optional.of(value))), before);
    same(now.record().map(StoredRecord::value), Optional.of(value), "The bytes in the answer");
    same(scene.read(DB), now, "The bytes that are read");
  }
}
