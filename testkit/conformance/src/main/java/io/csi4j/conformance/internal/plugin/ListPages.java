package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.csi4j.client.internal.text.SafeText;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Lists of a plugin, page by page. */
final class ListPages {

  private static final int MANY_PAGES = 10_000;

  private ListPages() {}

  /** The entries of a list, page by page; fails if a page has too many, or there is no end. */
  static List<Message> entries(Trial t, Message.Builder request) {
    Descriptor type = request.getDescriptorForType();
    int most = (int) request.getField(type.findFieldByName("max_entries"));
    List<Message> found = new ArrayList<>();
    Set<Message> known = new HashSet<>();
    Set<String> tokens = new HashSet<>();
    String token = "";
    int pages = 0;
    do {
      FieldDescriptor start = type.findFieldByName("starting_token");
      Message page = t.ok(request.setField(start, token), Message.class);
      Descriptor answer = page.getDescriptorForType();
      List<?> entries = (List<?>) page.getField(answer.findFieldByName("entries"));
      t.check(
          most == 0 || entries.size() <= most,
          "at most " + most + " entries on a page",
          entries.size() + " entries");
      boolean more = false;
      for (Object each : entries) {
        found.add((Message) each);
        more |= known.add((Message) each);
      }
      token = (String) page.getField(answer.findFieldByName("next_token"));
      pages++;
      t.check(
          (tokens.add(token) || more) && pages < MANY_PAGES,
          "a listing that ends",
          "the next_token " + SafeText.quote(token) + " again and nothing new, or too many pages");
    } while (!token.isEmpty());
    return found;
  }

  /**
   * Fails unless each of these ids is in one of three lists: a list in pages may miss one while
   * others change.
   */
  static void checkOnPages(Trial t, String kind, List<String> ids, Supplier<List<String>> list) {
    for (String id : ids) {
      t.check(
          Stream.generate(list).limit(3).anyMatch(listed -> listed.contains(id)),
          "the " + kind + " " + SafeText.quote(id) + " is on one of the pages",
          "it is on none");
    }
  }
}
