package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.testkit.internal.journal.ProtoMessage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/** Reads a plugin's lists page by page, and adds the cases for lists. */
final class ListPages {

  private static final int MANY_PAGES = 10_000;

  private ListPages() {}

  /**
   * Returns the entries of a list, read page by page. Fails if a page has too many entries, or if
   * the list does not end.
   */
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
   * Returns the ids of the objects in a list. Each entry of the list has a field named {@code
   * kind}.
   */
  static List<String> ids(Trial t, String kind, Message.Builder request) {
    return entries(t, request).stream()
        .map(each -> new ProtoMessage(each).message(kind).text(kind + "_id"))
        .toList();
  }

  /**
   * Adds the cases for the list of volumes or the list of snapshots.
   *
   * @param prefix the prefix of the names of the cases
   * @param kind the kind of the listed objects, such as {@code volume}
   * @param list creates the request for the complete list
   * @param made creates an object, and returns its id
   * @param deleted creates and deletes an object, and returns its id
   */
  static void addTo(
      CaseSteps all,
      String prefix,
      String kind,
      Function<Trial, Message.Builder> list,
      Function<Trial, String> made,
      Function<Trial, String> deleted) {
    all.add(
        prefix + "/a-new-" + kind + "-appears",
        t -> {
          String id = made.apply(t);
          boolean isListed = ids(t, kind, list.apply(t)).contains(id);
          t.check(isListed, "the new " + kind + " is listed", "it is not");
        });
    all.add(
        prefix + "/a-deleted-" + kind + "-disappears",
        t -> {
          String id = deleted.apply(t);
          boolean isListed = ids(t, kind, list.apply(t)).contains(id);
          t.check(!isListed, "the deleted " + kind + " is not listed", "it is");
        });
    all.add(
        prefix + "/pages-hold-every-" + kind,
        t -> {
          Message.Builder page = list.apply(t);
          page.setField(page.getDescriptorForType().findFieldByName("max_entries"), 1);
          for (String id : List.of(made.apply(t), made.apply(t), made.apply(t))) {
            // A list that is read page by page may miss an object if other objects change during
            // the reading, so the list is read up to three times.
            t.check(
                Stream.generate(() -> ids(t, kind, page))
                    .limit(3)
                    .anyMatch(ids -> ids.contains(id)),
                "the " + kind + " " + SafeText.quote(id) + " is on one of the pages",
                "it is on none");
          }
        });
  }
}
