package io.csi4j.volume.internal.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.internal.events.RecentMessages.Told;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RecentMessagesTest {

  @Test
  void theOldestMessageMakesRoomForTheNewest() {
    RecentMessages recent = new RecentMessages();
    for (int i = 0; i <= RecentMessages.MOST; i++) {
      recent.add(
          new Told(
              Instant.ofEpochSecond(i),
              Messages.of(OperatorCode.LONG_PAUSE, Subject.of("waiting"), "it was late")));
    }

    assertThat(recent.all()).hasSize(200);
    assertThat(recent.all().get(0).at()).isEqualTo(Instant.ofEpochSecond(1));
    assertThat(recent.all().get(199).at()).isEqualTo(Instant.ofEpochSecond(200));
  }
}
