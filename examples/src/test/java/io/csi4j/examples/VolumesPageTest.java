package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.MountFlagPolicy;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.VolumePermission;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.NodeClaims;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds the tables of docs/volumes.md to the settings that there are, and to their defaults. */
class VolumesPageTest {

  private static final Pattern ROW = Pattern.compile("(?m)^\\| `([a-z]\\w+)` \\| ([^|]+) \\|");

  @Test
  void theTablesHaveEverySettingWithItsDefault() throws Exception {
    Map<String, String> real = new LinkedHashMap<>();
    for (Object defaults : List.of(ManagerSettings.defaults(), MountPolicy.defaults())) {
      ValueParts.of(defaults).forEach((name, value) -> real.put(name, text(value)));
    }
    assertThat(shown(false)).containsExactlyEntriesOf(real);
  }

  @Test
  void theTableOfClaimsHasEverySettingWithItsDefault() throws Exception {
    NodeClaims defaults =
        NodeClaims.of(NodeName.of("n1"), (usage, epoch) -> new ClaimStanding.Current());
    Map<String, String> real = new LinkedHashMap<>();
    ValueParts.of(defaults)
        .forEach(
            (name, value) -> {
              if (value != defaults.node() && value != defaults.confirmation()) {
                real.put(name, value.equals(Optional.empty()) ? "never" : text(value));
              }
            });
    assertThat(shown(true)).containsExactlyEntriesOf(real);
  }

  /** What the page has in its section on claims, or before it. */
  private static Map<String, String> shown(boolean ofClaims) throws IOException {
    Map<String, String> shown = new LinkedHashMap<>();
    String page = Files.readString(Page.ROOT.resolve("docs/volumes.md"));
    int claims = page.indexOf("\n## Claims\n");
    String part = ofClaims ? page.substring(claims) : page.substring(0, claims);
    ROW.matcher(part).results().forEach(row -> shown.put(row.group(1), row.group(2)));
    return shown;
  }

  private static String text(Object value) {
    if (value instanceof Duration time) {
      return Stream.of(Map.entry(60_000, " min"), Map.entry(1000, " s"), Map.entry(1, " ms"))
          .filter(unit -> time.toMillis() % unit.getKey() == 0)
          .map(unit -> time.toMillis() / unit.getKey() + unit.getValue())
          .findFirst()
          .orElseThrow();
    }
    if (value instanceof Boolean is) {
      return is ? "yes" : "no";
    }
    if (value instanceof VolumePermission || value instanceof MountFlagPolicy) {
      return value.toString();
    }
    if (value instanceof Enum<?> word) {
      return "`" + word.name() + "`";
    }
    return String.format(Locale.ROOT, "%,d", (Integer) value).replace(',', ' ');
  }
}
