package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {

  @Test
  void stringsAreQuotedInAsciiOnOneLine() {
    assertThat(Json.quote("a\"b\\c\n\u0000é😀\u2028"))
        .isEqualTo("\"a\\\"b\\\\c\\u000a\\u0000\\u00e9\\ud83d\\ude00\\u2028\"");
  }

  @Test
  void valuesKeepTheirKindAndFieldsTheirOrder() {
    Json json =
        new Json()
            .with("text", "x")
            .with("number", 3L)
            .with("flag", true)
            .with("list", List.of(1, "b"))
            .with("map", Map.of("k", "v"))
            .with("none", null)
            .with("inner", new Json().raw("raw", "[]"));

    assertThat(json)
        .hasToString(
            "{\"text\":\"x\",\"number\":3,\"flag\":true,\"list\":[1,\"b\"],\"map\":{\"k\":\"v\"},"
                + "\"inner\":{\"raw\":[]}}");
  }

  @Test
  void jsonForAPersonHasAFieldALineAndTheSameTexts() {
    assertThat(Json.indented("{\"a\":\"x,\\\"{y\",\"b\":[1,{\"c\":true}],\"d\":{},\"e\":[]}"))
        .isEqualTo(
            "{\n  \"a\": \"x,\\\"{y\",\n  \"b\": [\n    1,\n    {\n      \"c\": true\n    }\n  ],\n"
                + "  \"d\": {},\n  \"e\": []\n}");
  }
}
