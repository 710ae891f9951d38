package io.github.redisstreams.support;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds the tree that flat field names stand for, as the hash mappers of Spring Data
 * Redis write them, in any order: {@code address.city}, {@code tags.[0]} or
 * {@code tags[0]}, {@code prices.[EUR]}. Fields in which those mappers keep class names
 * are left out: no entry decides which class is created.
 */
final class FlatFields {

	/** A name of more parts than this is taken as no path, so that no stack overflows. */
	private static final int DEEPEST = 100;

	private FlatFields() {
	}

	static Map<String, Object> toTree(Map<String, String> fields) {
		Map<String, Object> root = new LinkedHashMap<>();
		fields.forEach((name, value) -> {
			List<String> path = path(name);
			String last = path.get(path.size() - 1);
			if (last.equals("_class") || last.equals("@class")) {
				return;
			}
			if (path.size() == 1 || !put(root, path, value)) {
				root.put(name, value);
			}
		});
		root.replaceAll((name, value) -> collapse(value));
		return root;
	}

	/**
	 * The parts of a name, those in brackets with their brackets. A name that is no path
	 * is its only part.
	 */
	private static List<String> path(String name) {
		List<String> path = new ArrayList<>();
		int start = 0;
		while (start < name.length()) {
			int end = (name.charAt(start) == '[') ? endOfBrackets(name, start) : endOfWord(name, start);
			boolean dot = end < name.length() && name.charAt(end) == '.';
			if (end <= start || path.size() == DEEPEST || (dot && end == name.length() - 1)) {
				return List.of(name);
			}
			path.add(name.substring(start, end));
			start = dot ? end + 1 : end;
		}
		return path.isEmpty() ? List.of(name) : path;
	}

	private static int endOfWord(String name, int start) {
		int end = start;
		while (end < name.length() && name.charAt(end) != '.' && name.charAt(end) != '[') {
			end++;
		}
		return end;
	}

	// What is in brackets is the key of a map and may have dots and brackets itself
	private static int endOfBrackets(String name, int start) {
		int end = name.indexOf(']', start + 2);
		while (end >= 0 && end < name.length() - 1 && name.charAt(end + 1) != '.' && name.charAt(end + 1) != '[') {
			end = name.indexOf(']', end + 1);
		}
		return end + 1;
	}

	@SuppressWarnings("unchecked")
	private static boolean put(Map<String, Object> root, List<String> path, String value) {
		Map<String, Object> node = root;
		for (String part : path.subList(0, path.size() - 1)) {
			Object child = node.computeIfAbsent(part, (key) -> new LinkedHashMap<String, Object>());
			if (!(child instanceof Map)) {
				return false;
			}
			node = (Map<String, Object>) child;
		}
		return node.putIfAbsent(path.get(path.size() - 1), value) == null;
	}

	/**
	 * A list instead of a map whose keys are {@code [0]} and so on; other keys without
	 * their brackets.
	 */
	private static Object collapse(Object value) {
		if (!(value instanceof Map<?, ?> node)) {
			return value;
		}
		List<Object> elements = elements(node);
		if (elements.size() == node.size()) {
			elements.replaceAll(FlatFields::collapse);
			return elements;
		}
		Map<String, Object> result = new LinkedHashMap<>();
		node.forEach((key, child) -> result.put(withoutBrackets((String) key), collapse(child)));
		return result;
	}

	private static List<Object> elements(Map<?, ?> node) {
		List<Object> elements = new ArrayList<>();
		Object element = node.get("[0]");
		while (element != null) {
			elements.add(element);
			element = node.get("[" + elements.size() + "]");
		}
		return elements;
	}

	private static String withoutBrackets(String part) {
		return part.startsWith("[") ? part.substring(1, part.length() - 1) : part;
	}

}
