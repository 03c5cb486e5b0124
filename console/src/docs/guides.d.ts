// What scripts/guides.ts makes from the Markdown files of the repository.
declare module "guides:list" {
  export type GuideNode =
    | string
    | {
        readonly tag: string;
        readonly children: readonly GuideNode[];
        readonly id?: string;
        readonly href?: string;
        readonly start?: number;
      };
  export interface Guide {
    readonly name: string;
    readonly title: string;
    readonly load: () => Promise<{ readonly default: readonly GuideNode[] }>;
  }
  export interface GuideGroup {
    readonly title: string;
    readonly guides: readonly Guide[];
  }
  const groups: readonly GuideGroup[];
  export default groups;
}
declare module "guides:search" {
  export interface GuideSection {
    readonly guide: string;
    readonly id: string;
    readonly title: string;
    /** Each word once, in lower case. */
    readonly words: string;
  }
  const sections: readonly GuideSection[];
  export default sections;
}
