package io.csi4j.volume.store.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore.Watch;
import io.csi4j.volume.store.RecordStore.Watch.Change;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoredRecord;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MemoryStoreTest {

  private static final RecordKey KEY = RecordKey.of(Space.CLAIMS, VolumeKey.of("db"));
  private static final Optional<StateValue> VALUE = Optional.of(StateValue.of(new byte[] {1}));

  @Test
  void aFollowerThatIsTooSlowHasMissedSome() throws InterruptedException {
    MemoryStore busy = new MemoryStore();
    try (Watch watch = busy.watch(Space.CLAIMS)) {
      Optional<StoredRecord> at = Optional.empty();
      for (int i = 0; i < 10_001; i++) {
        WriteResult result = busy.write(new RecordWrite(KEY, at, VALUE));
        at = Optional.of(((WriteResult.Written) result).now().get(0));
      }

      assertThat(watch.next(Duration.ZERO))
          .contains(
              new Change.Missed(new ReasonText("more than 10000 writes were waiting to be read")));
      assertThat(watch.next(Duration.ZERO)).contains(new Change.Written(at.orElseThrow()));
      assertThat(watch.next(Duration.ZERO)).isEqualTo(Optional.empty());
    }
  }

  @Test
  void severalRecordsOfSeveralSpacesAreWrittenTogetherOrNotAtAll() throws InterruptedException {
    MemoryStore store = new MemoryStore();
    RecordKey volume = RecordKey.of(Space.VOLUMES, VolumeKey.of("db"));
    StoredRecord claim =
        ((WriteResult.Written) store.write(new RecordWrite(KEY, Optional.empty(), VALUE)))
            .now()
            .get(0);
    try (Watch claims = store.watch(Space.CLAIMS)) {
      RecordWrite removal = new RecordWrite(KEY, Optional.of(claim), Optional.empty());

      assertThat(
              store.write(
                  List.of(
                      removal,
                      new RecordWrite(
                          volume, Optional.of(new StoredRecord(volume, 1, VALUE.get())), VALUE))))
          .isEqualTo(new WriteResult.Conflict(List.of(claim)));
      assertThat(claims.next(Duration.ZERO)).isEmpty();

      StoredRecord written = new StoredRecord(volume, 3, VALUE.get());
      assertThat(store.write(List.of(removal, new RecordWrite(volume, Optional.empty(), VALUE))))
          .isEqualTo(new WriteResult.Written(List.of(written)));
      assertThat(store.read(KEY)).isEmpty();
      assertThat(store.read(volume)).contains(written);
      assertThat(claims.next(Duration.ZERO)).contains(new Change.Removed(KEY, 2));
      assertThat(store.scan(Space.CLAIMS, Optional.empty(), 9).records()).isEmpty();
      assertThat(store.scan(Space.VOLUMES, Optional.empty(), 9).records()).containsExactly(written);
    }
  }
}
