package io.csi4j.mount.internal.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Struct;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FanotifyEventTest {

  @Test
  void aMoveIsBothComingAndLeaving() {
    byte[] bytes = event(Abi.FAN_MNT_ATTACH | Abi.FAN_MNT_DETACH, 77, 42);

    List<FanotifyEvent> events = FanotifyEvent.decode(bytes, bytes.length);

    assertThat(events)
        .containsExactly(
            new FanotifyEvent(
                Abi.FAN_MNT_ATTACH | Abi.FAN_MNT_DETACH, OptionalLong.of(77), OptionalLong.of(42)));
    assertThat(events.get(0).came()).isTrue();
    assertThat(events.get(0).left()).isTrue();
    assertThat(events.get(0).isLoss()).isFalse();
  }

  @Test
  void aLossNamesNoMountAndNobody() {
    byte[] bytes = new byte[Abi.FAN_EVENT_METADATA_SIZE];
    Struct.u32(bytes, Abi.FAN_EVENT_AT_LENGTH, bytes.length);
    Struct.u16(bytes, Abi.FAN_EVENT_AT_METADATA_LENGTH, bytes.length);
    Struct.u64(bytes, Abi.FAN_EVENT_AT_MASK, Abi.FAN_Q_OVERFLOW);

    FanotifyEvent event = FanotifyEvent.decode(bytes, bytes.length).get(0);

    assertThat(event.isLoss()).isTrue();
    assertThat(event.mount()).isEmpty();
    assertThat(event.actor()).isEmpty();
  }

  @Test
  void anEventThatIsCutOffIsLeftOut() {
    byte[] bytes = event(Abi.FAN_MNT_ATTACH, 1, 1);

    assertThat(FanotifyEvent.decode(bytes, bytes.length - 1)).isEmpty();
  }

  @Test
  void noBytesAreTooStrange() {
    Random random = new Random(3);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = event(random.nextLong(), random.nextLong(), random.nextInt());
      for (int changes = random.nextInt(4); changes >= 0; changes--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      assertThat(FanotifyEvent.decode(bytes, bytes.length)).hasSizeLessThanOrEqualTo(1);
    }
  }

  private static byte[] event(long mask, long mount, int pid) {
    byte[] bytes = new byte[Abi.FAN_EVENT_METADATA_SIZE + Abi.FAN_INFO_MNT_SIZE];
    Struct.u32(bytes, Abi.FAN_EVENT_AT_LENGTH, bytes.length);
    Struct.u16(bytes, Abi.FAN_EVENT_AT_METADATA_LENGTH, Abi.FAN_EVENT_METADATA_SIZE);
    Struct.u64(bytes, Abi.FAN_EVENT_AT_MASK, mask);
    Struct.u32(bytes, Abi.FAN_EVENT_AT_PID, pid);
    int info = Abi.FAN_EVENT_METADATA_SIZE;
    bytes[info + Abi.FAN_INFO_AT_TYPE] = Abi.FAN_EVENT_INFO_TYPE_MNT;
    Struct.u16(bytes, info + Abi.FAN_INFO_AT_LENGTH, Abi.FAN_INFO_MNT_SIZE);
    Struct.u64(bytes, info + Abi.FAN_INFO_AT_MNT_ID, mount);
    return bytes;
  }
}
