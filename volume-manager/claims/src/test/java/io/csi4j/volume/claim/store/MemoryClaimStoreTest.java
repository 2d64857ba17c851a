package io.csi4j.volume.claim.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.spi.ClaimWatch;
import io.csi4j.volume.claim.spi.ClaimWatch.Change;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteResult;
import io.csi4j.volume.claim.spi.WriteToken;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class MemoryClaimStoreTest {

  @Test
  void whoIsTooSlowIsToldThatHeHasMissedSome() throws InterruptedException {
    MemoryClaimStore busy = new MemoryClaimStore();
    VolumeKey volume = VolumeKey.of("db");
    try (ClaimWatch watch = busy.watch()) {
      Versioned at = busy.read(volume);
      for (int i = 0; i < 10_001; i++) {
        WriteResult result =
            busy.compareAndSet(at.version(), Claim.none(volume), new WriteToken(UUID.randomUUID()));
        at = ((WriteResult.Written) result).now();
      }

      assertThat(watch.next(Duration.ZERO))
          .contains(new Change.Missed(new ReasonText("more than 10000 writes were not taken")));
      assertThat(watch.next(Duration.ZERO)).contains(new Change.Written(at));
      assertThat(watch.next(Duration.ZERO)).isEqualTo(Optional.empty());
    }
  }
}
