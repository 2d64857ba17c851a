package io.csi4j.volume.internal.store;

import static io.csi4j.volume.internal.store.Words.A;
import static io.csi4j.volume.internal.store.Words.B;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.volume.internal.store.RecordValues.Seen;
import io.csi4j.volume.internal.store.RecordValues.Unreadable;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.seal.AesGcmSealer;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.PassingStore;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.local.MemoryStore;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Values in a store of bytes. */
class RecordValuesTest {

  private final MemoryStore store = new MemoryStore();
  private final RecordValues<String> words = new RecordValues<>(store, new Words(true));

  private static Seen<String> write(RecordValues<String> to, RecordStore store, String word) {
    RecordKey key = new Words(true).key(word);
    WriteResult result =
        RecordValues.write(store, List.of(to.draft(to.read(key), Optional.of(word))));
    assertThat(result).isInstanceOf(WriteResult.Written.class);
    return to.read(key);
  }

  private void raw(RecordKey key, String bytes) {
    assertThat(
            store.write(
                new RecordWrite(
                    key, store.read(key), Optional.of(StateValue.of(bytes.getBytes(UTF_8))))))
        .isInstanceOf(WriteResult.Written.class);
  }

  @Test
  void eachDraftOfOneValueIsAnotherWrite() {
    Seen<String> none = words.read(A);

    assertThat(words.draft(none, Optional.of("a")))
        .isNotEqualTo(words.draft(none, Optional.of("a")));
  }

  @Test
  void aWriteThatIsSentTwiceIsMadeOnce() {
    List<RecordWrite> first = List.of(words.draft(words.read(A), Optional.of("a")));

    assertThat(RecordValues.write(store, first)).isInstanceOf(WriteResult.Written.class);
    Seen<String> there = words.read(A);
    assertThat(RecordValues.write(store, first))
        .isEqualTo(new WriteResult.Written(List.of(there.stored().orElseThrow())));

    List<RecordWrite> removal = List.of(words.draft(there, Optional.empty()));
    assertThat(RecordValues.write(store, removal)).isEqualTo(new WriteResult.Written(List.of()));
    assertThat(RecordValues.write(store, removal)).isEqualTo(new WriteResult.Written(List.of()));
    assertThat(RecordValues.write(store, first)).isInstanceOf(WriteResult.Written.class);
  }

  @Test
  void fieldsOfANewerVersionAreKept() {
    raw(A, "-".repeat(36) + "a+newer");

    Seen<String> seen = write(words, store, "ab");

    assertThat(seen.value()).contains("ab");
    assertThat(new String(seen.newer().bytes(), UTF_8)).isEqualTo("+newer");
  }

  @Test
  void aRecordThatCannotBeReadIsReportedBesideTheOthers() {
    Seen<String> other = write(words, store, "b");
    raw(A, "short");
    raw(new RecordKey(RecordKey.Space.VOLUMES, "c"), "-".repeat(36) + "d");

    RecordValues.Page<String> page = words.page(Optional.empty(), 10);

    assertThat(page.records()).containsExactly(other);
    assertThat(page.unreadable().stream().map(Unreadable::problem))
        .extracting(Throwable::getMessage)
        .containsExactly(
            "Reading the word 'a' failed: It is no word. Run the csi4j version that wrote it,"
                + " or a later one.",
            "Reading the word 'c' failed: it is the word 'd'. Find out which program wrote it, and"
                + " remove the record.");
    assertThatExceptionOfType(RecordStoreException.class)
        .isThrownBy(() -> words.read(A))
        .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.UNREADABLE));
  }

  @Test
  void aRecordWithoutAVersionIsNotRead() {
    assertThatExceptionOfType(RecordStoreException.class)
        .isThrownBy(() -> words.seen(StoredRecord.of(A, 0, ("-".repeat(36) + "a").getBytes(UTF_8))))
        .withMessage(
            "Reading the word 'a' failed: it has version 0, but a written record has at least "
                + "version 1. Restore its version, or check what the nodes have mounted before "
                + "you remove the record.");
  }

  @Test
  void moreBytesThanAStoreKeepsAreNoValue() {
    int most = StateValue.MAX_SIZE + StateValue.MAX_AROUND;
    assertThat(StoredRecord.of(A, 1, new byte[most + 1]).value().size()).isZero();
    assertThat(StoredRecord.of(A, 1, new byte[most]).value().size()).isEqualTo(most);
  }

  private static Sealer key() {
    return AesGcmSealer.of(AesGcmSealer.Keys.of("k", new byte[32]));
  }

  /** A store whose writers seal. */
  private final class Sealed extends PassingStore {
    private final Sealer sealer = key();

    Sealed() {
      super(store);
    }

    @Override
    public Optional<Sealer> sealer() {
      return Optional.of(sealer);
    }
  }

  @Test
  void valuesAreSealedForTheirKeyWhereTheStoreWasGivenAKey() {
    Sealed sealed = new Sealed();
    RecordValues<String> hidden = new RecordValues<>(sealed, new Words(true));
    raw(B, "-".repeat(36) + "b");

    StoredRecord there = write(hidden, sealed, "a").stored().orElseThrow();

    assertThat(there.value().isSealed()).isTrue();
    assertThat(hidden.read(B).value()).contains("b");
    assertThatExceptionOfType(RecordStoreException.class)
        .isThrownBy(() -> words.read(A))
        .withMessage(
            "Reading the word 'a' failed: it is sealed, and this host has no key. Configure the key"
                + " of the other hosts.");
    assertThatExceptionOfType(RecordStoreException.class)
        .isThrownBy(() -> hidden.seen(new StoredRecord(B, 1, there.value())))
        .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.UNREADABLE));
  }

  @Test
  void theSealOfAClaimIsBoundToTheNameThatItHadBefore() {
    RecordKey claim = RecordKey.of(RecordKey.Space.CLAIMS, VolumeKey.of("db"));

    assertThat(RecordValues.about(claim)).isEqualTo("claim/default\u001fdb");
    assertThat(RecordValues.about(new RecordKey(RecordKey.Space.VOLUMES, "x")))
        .isEqualTo("volumes/x");
  }
}
