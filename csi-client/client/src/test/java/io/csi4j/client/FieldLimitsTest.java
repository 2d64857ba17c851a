package io.csi4j.client;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.WireTable.Row;
import io.csi4j.client.internal.text.FieldLimits;
import io.csi4j.client.internal.text.Rows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The table of sizes against the fields of the contract. */
class FieldLimitsTest {

  private static final List<List<String>> NAMED =
      Rows.of(FieldLimits.class.getResourceAsStream("field-limits.tsv"), 4).stream()
          .filter(row -> !row.get(0).startsWith("any "))
          .toList();

  /** A field of our copy of the contract whose comment states a size. */
  private static final Pattern STATED =
      Pattern.compile("(\\d+) (bytes|KiB)[^\\n]*\\n\\s*(?:repeated )?\\w+ (\\w+) = ");

  @Test
  void everyRowIsATextOfTheContract() {
    for (List<String> row : NAMED) {
      List<Row> fields =
          WireTable.rows("field").stream()
              .filter(field -> field.get("name").equals(row.get(0)))
              .toList();
      assertThat(fields)
          .as(row.get(0))
          .isNotEmpty()
          .allSatisfy(
              field -> {
                assertThat(field.get("type")).isEqualTo("string");
                assertThat(field.get("label"))
                    .isEqualTo(row.get(1).equals("all entries") ? "repeated" : "singular");
              });
    }
  }

  @Test
  void everyPathOfARequestIsARow() {
    assertThat(
            WireTable.rows("field").stream()
                .filter(field -> field.get("parent").endsWith("Request"))
                .map(field -> field.get("name"))
                .filter(name -> name.endsWith("_path"))
                .collect(toSet()))
        .isEqualTo(FieldLimits.PATHS)
        .hasSize(4);
  }

  @Test
  void theSizesAreThoseOfTheContract() throws IOException {
    String contract =
        Files.readString(
            Path.of(
                System.getProperty("csi4j.root", "../.."),
                "csi-client/client/src/main/proto/csi.proto"));
    Map<String, Integer> stated =
        STATED
            .matcher(contract)
            .results()
            .collect(
                toMap(
                    found -> found.group(3),
                    found ->
                        Integer.parseInt(found.group(1))
                            * (found.group(2).equals("KiB") ? 1024 : 1)));

    assertThat(stated)
        .isEqualTo(Map.of("mount_flags", FieldLimits.MOUNT_FLAGS, "node_id", FieldLimits.NODE_ID));
    assertThat(FieldLimits.ofText("node_id")).isEqualTo(256);
    assertThat(FieldLimits.ofText("volume_id")).isEqualTo(FieldLimits.TEXT);
  }
}
