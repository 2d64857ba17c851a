package io.csi4j.volume.internal.layout;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.internal.layout.TroubleFile.Entry;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.OperatorMessage.Part;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class TroubleFileTest {

  private static final Entry ONE = entry("vol-1", "it said \\n and \\\\");
  private static final Entry TWO = entry("vol 2 \u00fc", "two\nlines");

  private static Entry entry(String handle, String seen) {
    return new Entry(
        new VolumeIdentity(PluginId.of("fake.csi4j.example"), VolumeId.of(handle)),
        new OperatorMessage(
            OperatorCode.STILL_MOUNTED,
            new Part("releasing"),
            new Part(seen),
            new Part("safe"),
            new Part("")),
        Instant.parse("2026-12-01T04:18:32Z"));
  }

  private static String text(Entry... entries) {
    return new String(TroubleFile.content(List.of(entries)), StandardCharsets.UTF_8);
  }

  private static List<Entry> read(String text) {
    return TroubleFile.read(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void aPersonCanReadIt() {
    assertThat(text(TWO))
        .isEqualTo(
            """
            csi4j trouble 1
            plugin fake.csi4j.example
            handle vol 2 \u00fc
            since 2026-12-01T04:18:32Z
            code STILL_MOUNTED
            doing releasing
            seen two\\nlines
            safe safe
            next\s
            """);
  }

  @Test
  void whatWasWrittenIsRead() {
    assertThat(read(text(ONE, TWO))).containsExactly(ONE, TWO);
    assertThat(read(text())).isEmpty();
  }

  @Test
  void whateverIsCutOffTheVolumesBeforeItAreRead() {
    byte[] all = TroubleFile.content(List.of(ONE, TWO));
    int first = TroubleFile.content(List.of(ONE)).length;
    for (int length = 0; length < all.length; length++) {
      assertThat(TroubleFile.read(Arrays.copyOf(all, length)))
          .as("%d bytes", length)
          .isEqualTo(length < first ? List.of() : List.of(ONE));
    }
  }

  @Test
  void aVolumeThatIsNotUnderstoodIsLeftOut() {
    for (String damage : List.of("since never", "code OF_LATER", "handle ")) {
      String name = damage.substring(0, damage.indexOf(' '));
      String damaged = text(TWO).replaceFirst("(?m)^" + name + " .*$", damage);
      String body = text(ONE).substring(text(ONE).indexOf('\n') + 1);
      assertThat(read(damaged + body)).as(damage).containsExactly(ONE);
    }
  }

  @Test
  void aDamagedLineEndsTheList() {
    assertThat(read(text(ONE).replace("trouble 1", "trouble 2"))).isEmpty();
    assertThat(read(text(ONE) + text(TWO))).containsExactly(ONE);
  }
}
